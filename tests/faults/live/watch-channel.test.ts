import { createCipheriv, createDecipheriv } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { watchChannel } from './watch-channel.ts';

const key = Buffer.alloc(16, 1);
const ivOf = (number: number) => `${number}`.padStart(32, '0');
const clearOf = (number: number) => Buffer.from(`segment ${number}`);

function encrypt(bytes: Buffer, iv: string): Buffer {
  const cipher = createCipheriv('aes-128-cbc', key, Buffer.from(iv, 'hex'));
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

const decrypt = async (bytes: Buffer, _: string, iv: string) => {
  const decipher = createDecipheriv('aes-128-cbc', key, Buffer.from(iv, 'hex'));
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
};

/** A served folder with the segments 0 and 1, and the packager's own. */
function makeFolders() {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-watch-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [folder, clearFolder] = [join(root, 'served'), join(root, 'clear')];
  for (const path of [folder, clearFolder]) mkdirSync(path);
  const header = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n';
  const list = (numbers: readonly number[], ivs = numbers.map(ivOf)) => {
    const lines = (number: number, index: number) =>
      `#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example.com/0",IV=0x${ivs[index]}\n#EXTINF:2,\n${number}.ts\n`;
    const clear = (number: number) => `#EXTINF:2,\n${number}.ts\n`;
    writeFileSync(join(folder, 'live.m3u8'), header + numbers.map(lines).join(''));
    writeFileSync(join(clearFolder, 'live.m3u8'), header + numbers.map(clear).join(''));
  };
  const write = (number: number, iv = ivOf(number)) => {
    writeFileSync(join(clearFolder, `${number}.ts`), clearOf(number));
    writeFileSync(join(folder, `${number}.ts`), encrypt(clearOf(number), iv));
  };
  write(0);
  write(1);
  list([0, 1]);
  return {
    folder,
    list,
    write,
    watch: () => watchChannel({ name: 'c', folder, playlistName: 'live.m3u8', clearFolder }, decrypt),
  };
}

it('nothing is wrong with a channel whose segments decrypt to the bytes of its packager', async () => {
  const { watch } = makeFolders();
  expect(await watch().finish()).toMatchObject({ segments: 2, keys: 1, wrong: [] });
});

it('media in the clear is found in any file of the served folder, listed or not', async () => {
  const { folder, watch } = makeFolders();
  const packets = Buffer.alloc(188 * 5);
  for (let at = 0; at < packets.length; at += 188) packets[at] = 0x47;
  writeFileSync(join(folder, 'forgotten.tmp'), packets);
  writeFileSync(join(folder, 'part.m4s'), Buffer.from('\0\0\0\x08moof', 'latin1'));
  const { wrong } = await watch().finish();
  expect(wrong).toEqual(['forgotten.tmp is MPEG-TS in the clear', 'part.m4s is fMP4 in the clear']);
});

it('a segment that grows after it was listed was listed before it was whole', async () => {
  const { folder, watch } = makeFolders();
  const watching = watch();
  writeFileSync(join(folder, '1.ts'), encrypt(Buffer.from('segment 1 is longer than it was'), ivOf(1)));
  expect((await watching.finish()).wrong).toEqual(['1.ts was listed before it was whole']);
});

it('a segment that is listed and not there is wrong, and so is one with other bytes than those of the packager', async () => {
  const { folder, list, watch } = makeFolders();
  list([0, 1, 2]);
  writeFileSync(join(folder, '0.ts'), encrypt(Buffer.from('another one'), ivOf(0)));
  expect((await watch().finish()).wrong).toEqual([
    '2.ts was listed and not there',
    "0.ts does not decrypt to the packager's bytes",
  ]);
});

it('two segments with the same vector under the same key are found', async () => {
  const { list, write, watch } = makeFolders();
  write(1, ivOf(0));
  list([0, 1], [ivOf(0), ivOf(0)]);
  expect((await watch().finish()).wrong).toEqual(['1.ts has the vector of another segment under its key']);
});

it('a playlist that cannot be read to its end is wrong', async () => {
  const { folder, watch } = makeFolders();
  const watching = watch();
  writeFileSync(
    join(folder, 'live.m3u8'),
    '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:2,',
  );
  expect((await watching.finish()).wrong).toEqual([expect.stringContaining('it is not whole')]);
});
