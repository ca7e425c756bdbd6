import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encryptFiles, keyOfUrl, keyUrlBase } from '../testing/encrypt-files.ts';
import { makeInitialization } from '../testing/media-boxes.ts';
import { playPresentation } from '../testing/play-presentation.ts';

interface Shape {
  /** Bytes of each segment. */
  segments: number[];
  map: boolean;
  singleFile: boolean;
}

/** Sizes around the block of AES and around the chunks that files are read in. */
const size = fc.oneof(fc.integer({ min: 0, max: 70 }), fc.constantFrom(65_536, 262_144, 262_145, 300_000));
const shape: fc.Arbitrary<Shape> = fc.record({
  segments: fc.array(size, { minLength: 1, maxLength: 6 }),
  map: fc.boolean(),
  singleFile: fc.boolean(),
});
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const rotation = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });

function makeFiles(shapes: Shape[]): { files: Record<string, string | Uint8Array>; clear: Buffer[][] } {
  const files: Record<string, string | Uint8Array> = {};
  const clear = shapes.map(({ segments, map, singleFile }, n) => {
    // A byte range of nothing cannot be written down.
    const parts = segments.map((size) => randomBytes(singleFile ? size + 1 : size));
    const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:2'];
    if (map) lines.push('#EXT-X-MAP:URI="init.mp4"');
    parts.forEach((part, index) => {
      lines.push('#EXTINF:2,');
      if (singleFile) lines.push(`#EXT-X-BYTERANGE:${part.length}${index === 0 ? '@0' : ''}`);
      lines.push(singleFile ? 'all.bin' : `${index}.ts`);
      if (!singleFile) files[`v${n}/${index}.ts`] = part;
    });
    if (singleFile) files[`v${n}/all.bin`] = Buffer.concat(parts);
    if (map) files[`v${n}/init.mp4`] = makeInitialization(`init ${n}`);
    files[`v${n}/p.m3u8`] = [...lines, '#EXT-X-ENDLIST'].join('\n');
    return parts;
  });
  const variants = shapes.flatMap((_, n) => ['#EXT-X-STREAM-INF:BANDWIDTH=1', `v${n}/p.m3u8`]);
  files['all.m3u8'] = ['#EXTM3U', ...variants].join('\n');
  return { files, clear };
}

it('each segment is encrypted under the key of its epoch and its own vector, and a player gets exactly its bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(shape, { minLength: 1, maxLength: 3 }),
      rotation,
      async (shapes, rotateEverySegments) => {
        const { files, clear } = makeFiles(shapes);
        const { playlist, folder } = await encryptFiles(files, 'all.m3u8', { rotateEverySegments });
        const played = playPresentation(playlist, keyOfUrl);

        // As digests: Vitest compares large buffers byte by byte, in seconds.
        expect(played.map(({ segments }) => segments.map((segment) => digest(segment.clear)))).toEqual(
          clear.map((parts) => parts.map(digest)),
        );
        played.forEach(({ maps, segments }, n) => {
          expect(maps.map((map) => map.clear)).toEqual(
            shapes[n]?.map ? [makeInitialization(`init ${n}`)] : [],
          );
          segments.forEach(({ keyUrl, path, clear: bytes }, index) => {
            const epoch =
              rotateEverySegments === undefined ? '' : `/${Math.floor(index / rotateEverySegments)}`;
            expect(keyUrl).toBe(`${keyUrlBase}/keys/film${epoch}`);
            // PKCS #7 always pads, by 1 to 16 bytes.
            expect(statSync(path).size).toBe((Math.floor(bytes.length / 16) + 1) * 16);
            if (bytes.length > 16) expect(readFileSync(path).includes(bytes.subarray(0, 16))).toBe(false);
          });
        });
        const vectors = played.flatMap(({ segments }) => segments).map(({ iv }) => iv);
        expect(new Set(vectors).size).toBe(vectors.length);
        rmSync(folder, { recursive: true });
      },
    ),
    { numRuns: 40 },
  );
}, 180_000);

it('each segment gets another vector when the same presentation is encrypted again', async () => {
  const { files } = makeFiles([{ segments: [1, 2], map: true, singleFile: false }]);
  const runs = await Promise.all([encryptFiles(files, 'all.m3u8'), encryptFiles(files, 'all.m3u8')]);
  const vectors = runs
    .flatMap(({ playlist }) => playPresentation(playlist, keyOfUrl).flatMap(({ segments }) => segments))
    .map(({ iv }) => iv);
  expect(new Set(vectors).size).toBe(4);
});

it('a source of randomness that repeats itself ends the encryption', async () => {
  const { files } = makeFiles([{ segments: [1, 2], map: false, singleFile: false }]);
  const repeated = (count: number) => Buffer.alloc(count, 7);
  await expect(encryptFiles(files, 'all.m3u8', { randomBytes: repeated })).rejects.toThrow('repeats itself');
});
