import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encryptFiles, keyOfUrl, keyUrlBase } from '../testing/encrypt-files.ts';
import { makeInitialization } from '../testing/media-boxes.ts';
import { type PlayedRendition, playPresentation } from '../testing/play-presentation.ts';

const lines = (...text: string[]) => `${text.join('\n')}\n`;
const iFrame = (range: string, uri: string, seconds = 2) => [
  `#EXTINF:${seconds},`,
  `#EXT-X-BYTERANGE:${range}`,
  uri,
];

const initialization = makeInitialization();
/** Four segments of 100 bytes in one file behind the initialization section. */
const film = Buffer.concat([initialization, randomBytes(400)]);
const start = initialization.length;
const mapTag = `#EXT-X-MAP:URI="film.mp4",BYTERANGE="${start}@0"`;

/** Segments 4 to 7 of a stream, and an I-frame of 30 bytes in each, 10 bytes after its beginning. */
const singleFile = {
  'all.m3u8': lines(
    ...['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'],
    '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9,CODECS="avc1.4d401f",URI="i-frames.m3u8"',
    ...['#EXT-X-STREAM-INF:BANDWIDTH=90,CODECS="avc1.4d401f"', 'film.m3u8'],
  ),
  'film.m3u8': lines(
    ...['#EXTM3U', '#EXT-X-TARGETDURATION:2', '#EXT-X-MEDIA-SEQUENCE:4', mapTag],
    ...iFrame(`100@${start}`, 'film.mp4'),
    ...[1, 2, 3].flatMap(() => iFrame('100', 'film.mp4')),
    '#EXT-X-ENDLIST',
  ),
  'i-frames.m3u8': lines(
    ...['#EXTM3U', '#EXT-X-TARGETDURATION:2', '#EXT-X-I-FRAMES-ONLY', mapTag],
    ...[0, 1, 2, 3].flatMap((n) => iFrame(`30@${start + 100 * n + 10}`, 'film.mp4')),
    '#EXT-X-ENDLIST',
  ),
  'film.mp4': film,
};

const epochsOf = ({ segments }: PlayedRendition) => segments.map(({ keyUrl }) => keyUrl.split('/').at(-1));

/** Recognized by their tag, since the place of the I-frame playlist in the output does not matter here. */
function playBoth(playlist: string): { full: PlayedRendition; iFrames: PlayedRendition } {
  const played = playPresentation(playlist, keyOfUrl);
  const iFrames = played.find(({ text }) => text.includes('#EXT-X-I-FRAMES-ONLY'));
  const full = played.find((rendition) => rendition !== iFrames);
  if (!iFrames || !full) throw new Error('an I-frame playlist and another one are expected');
  return { full, iFrames };
}

describe('an I-frame playlist', () => {
  it('a stream in one file and the I-frame playlist of its ranges become a file for each segment and each I-frame, and the multivariant playlist still names both', async () => {
    const { playlist, warnings } = await encryptFiles(singleFile, 'all.m3u8');
    const { full, iFrames } = playBoth(playlist);
    expect(full.segments.map(({ clear }) => clear)).toEqual(
      [0, 1, 2, 3].map((n) => film.subarray(start + 100 * n, start + 100 * n + 100)),
    );
    expect(full.maps.map(({ clear }) => clear)).toEqual([initialization]);
    expect(full.text).toContain('#EXT-X-VERSION:6');
    expect(readFileSync(playlist, 'utf8')).toContain(
      '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9,CODECS="avc1.4d401f",URI="i-frames/index.m3u8"',
    );
    expect(iFrames.segments.map(({ clear }) => clear)).toEqual(
      [0, 1, 2, 3].map((n) => film.subarray(start + 100 * n + 10, start + 100 * n + 40)),
    );
    expect(iFrames.maps.map(({ clear }) => clear)).toEqual([initialization]);
    expect(full.text + iFrames.text).not.toContain('BYTERANGE');
    expect(iFrames.text).toContain('#EXT-X-I-FRAMES-ONLY\n');
    expect(warnings).toEqual([]);
  });

  it('an encrypted I-frame playlist leaves no byte of media readable anywhere in the output', async () => {
    const { outFolder } = await encryptFiles(singleFile, 'all.m3u8', { rotateEverySegments: 1 });
    const names = readdirSync(outFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('.'),
    );
    expect(names).toContain('i-frames/00003.mp4');
    for (const name of names) {
      const written = readFileSync(join(outFolder, name));
      for (let offset = start; offset + 8 <= film.length; offset++) {
        expect(written.includes(film.subarray(offset, offset + 8)), name).toBe(false);
      }
    }
  });

  it('an I-frame playlist uses the key of the segment that each I-frame comes from, so trick play needs no key of its own', async () => {
    const { playlist, contentIds } = await encryptFiles(singleFile, 'all.m3u8', {
      rotateEverySegments: 2,
      perRenditionIds: true,
    });
    const { full, iFrames } = playBoth(playlist);
    expect(epochsOf(full)).toEqual(['2', '2', '3', '3']);
    expect(iFrames.segments.map(({ keyUrl }) => keyUrl)).toEqual(full.segments.map(({ keyUrl }) => keyUrl));
    expect(contentIds).toEqual(['film-film']);
    const vectors = [...full.segments, ...iFrames.segments].map(({ iv }) => iv);
    expect(new Set(vectors).size).toBe(8);
  });

  it('an I-frame playlist with I-frames in files of their own uses the key of the segment that plays at their time', async () => {
    const files = {
      'all.m3u8': singleFile['all.m3u8'],
      'film.m3u8': lines(
        '#EXTM3U',
        '#EXT-X-MEDIA-SEQUENCE:4',
        ...[0, 1, 2].flatMap((n) => ['#EXTINF:3.003,', `${n}.ts`]),
      ),
      // Rounded otherwise than the segments: the third begins 1 ms before its segment does.
      'i-frames.m3u8': lines(
        ...['#EXTM3U', '#EXT-X-I-FRAMES-ONLY', '#EXTINF:1.5,', 'i0.ts', '#EXTINF:1.502,', 'i1.ts'],
        ...[
          '#EXTINF:1.5,',
          'i2.ts',
          '#EXTINF:1.5,',
          'i3.ts',
          '#EXTINF:3.1,',
          'i4.ts',
          '#EXTINF:3,',
          'late.ts',
        ],
      ),
      ...Object.fromEntries([0, 1, 2].map((n) => [`${n}.ts`, `segment ${n}`])),
      ...Object.fromEntries(['i0', 'i1', 'i2', 'i3', 'i4', 'late'].map((n) => [`${n}.ts`, n])),
    };
    const { playlist } = await encryptFiles(files, 'all.m3u8', { rotateEverySegments: 1 });
    expect(epochsOf(playBoth(playlist).iFrames)).toEqual(['4', '4', '5', '5', '6', '6']);
  });

  it('an I-frame playlist that is given alone is encrypted by its own count', async () => {
    const { playlist } = await encryptFiles(singleFile, 'i-frames.m3u8', { rotateEverySegments: 3 });
    const [played] = playPresentation(playlist, keyOfUrl);
    expect(played && epochsOf(played)).toEqual(['0', '0', '0', '1']);
  });

  it('an I-frame playlist is counted apart from the renditions, and its files are counted as written', async () => {
    const summary = await encryptFiles(singleFile, 'all.m3u8');
    expect(summary).toMatchObject({ renditions: 1, segments: 4, iFramePlaylists: 1 });
    // 100 and 30 bytes grow to whole blocks of 16.
    expect(summary.bytes).toBe(4 * 112 + 4 * 32 + 2 * start);
    expect(summary.keyUrls).toEqual([`${keyUrlBase}/keys/film`]);
  });
});
