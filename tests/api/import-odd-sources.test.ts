import { createCipheriv, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { runCli } from '@latchkey/support/processes/run-cli';
import { afterAll, expect, it, onTestFinished } from 'vitest';

const folder = makeFolder();
afterAll(folder.remove);
// The command is tested here. The routes that it calls are tested on every profile: imported-keys.test.ts.
const { client, adminApiKey: admin, url } = await startSingleNode();
const importFrom = (source: string, ...more: string[]) =>
  runCli(['import', source, '--server', url, ...more], { LATCHKEY_API_KEY: admin });

/** MPEG-TS without a program: enough to be known as that. */
const clearSegment = (n: number) => {
  const bytes = Buffer.alloc(188 * 16, n);
  for (let at = 0; at < bytes.length; at += 188) bytes[at] = 0x47;
  return bytes;
};

/**
 * Three segments under one key, each with a tag of its own.
 *
 * @param tagOf the URI of the n-th key tag, and more of its attributes
 */
function makeOneKeyLibrary(key: Buffer, tagOf: (n: number) => string, { isPadded = true, range = '' } = {}) {
  const name = unique('one-key');
  const root = join(folder.path, name);
  mkdirSync(root);
  const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:2'];
  for (let n = 0; n < 3; n++) {
    const iv = Buffer.alloc(16);
    iv[15] = n;
    const cipher = createCipheriv('aes-128-cbc', key, iv).setAutoPadding(isPadded);
    writeFileSync(join(root, `${n}.ts`), Buffer.concat([cipher.update(clearSegment(n)), cipher.final()]));
    lines.push(
      `#EXT-X-KEY:METHOD=AES-128,URI=${tagOf(n)}`,
      '#EXTINF:2,',
      ...(range ? [range] : []),
      `${n}.ts`,
    );
  }
  const playlist = join(root, 'media.m3u8');
  writeFileSync(playlist, `${lines.join('\n')}\n#EXT-X-ENDLIST\n`);
  return { root, playlist };
}

const keyAt = async (path: string) => (await client.get(`/keys/${path}`, admin)).bytes;

it('a key in a data: URL, or in a base64 file with an empty KEYFORMAT, moves in, and no message shows it', async () => {
  const key = randomBytes(16);
  const base64 = key.toString('base64');
  const inline = makeOneKeyLibrary(key, () => `"data:text/plain;base64,${base64}"`);
  const inFile = makeOneKeyLibrary(key, () => '"../k.key",KEYFORMAT="",KEYFORMATVERSIONS=""');
  writeFileSync(join(folder.path, 'k.key'), `${base64}\n`);
  for (const { playlist } of [inline, inFile]) {
    const contentId = unique('film');
    const id = ['--content-id', contentId, '--source-root', folder.path];
    const said = await importFrom(playlist, ...id, '--in-place');
    expect(await keyAt(contentId)).toEqual(key);
    for (const form of ['base64', 'hex'] as const) expect(said).not.toContain(key.toString(form));
    expect(readFileSync(playlist, 'utf8')).not.toMatch(/data:|k\.key/);
  }
});

it('one key under a signed URL for each segment is one key, also of a session key that is signed again', async () => {
  const key = randomBytes(16);
  let asked = 0;
  const listener = createServer((request, response) => {
    asked++;
    response.writeHead(request.headers['x-old'] === 'canary' ? 200 : 403).end(key);
  });
  const { origin, close } = await listenOnLoopback(listener);
  onTestFinished(close);
  const signed = (n: number | string) => `"${origin}/k?sig=canary${n}"`;
  const { root } = makeOneKeyLibrary(key, signed);
  const master = join(root, 'master.m3u8');
  const session = `#EXT-X-SESSION-KEY:METHOD=AES-128,URI=${signed('session')}`;
  writeFileSync(master, `#EXTM3U\n${session}\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia.m3u8\n`);
  const contentId = unique('film');
  const headers = ['--source-header', 'X-Old: canary', '--source-header-origin', origin];
  const said = await importFrom(master, '--content-id', contentId, ...headers, '--in-place');
  expect([asked, await keyAt(contentId)]).toEqual([4, key]);
  expect(said).toContain('Found 1 keys');
  const written = ['master.m3u8', 'media.m3u8'].map((name) => readFileSync(join(root, name), 'utf8'));
  expect(written.join().match(/URI="[^"]*"/g)).toEqual(Array(4).fill(`URI="${url}/keys/${contentId}"`));
  expect(said).not.toContain('canary');
});

it('a key moves in although its segments have no padding, but a range that is cut before it is named as that', async () => {
  const key = randomBytes(16);
  const tag = () => '"key"';
  const open = makeOneKeyLibrary(key, tag, { isPadded: false });
  const cut = makeOneKeyLibrary(key, tag, { range: '#EXT-X-BYTERANGE:3003@0' });
  const short = makeOneKeyLibrary(key, tag);
  for (const { root } of [open, cut, short]) writeFileSync(join(root, 'key'), key);
  writeFileSync(join(short.root, '0.ts'), readFileSync(join(short.root, '0.ts')).subarray(0, 1_000));
  const contentId = unique('film');
  await importFrom(open.playlist, '--content-id', contentId);
  expect(await keyAt(contentId)).toEqual(key);
  const other = ['--content-id', unique('film')];
  await expect(importFrom(cut.playlist, ...other)).rejects.toThrow(
    /media\.m3u8:6: the range of 3003 bytes .* ends in the middle of a block/,
  );
  await expect(importFrom(short.playlist, ...other)).rejects.toThrow(
    /media\.m3u8:5: "0\.ts" has 1000 bytes and so ends in the middle of a block/,
  );
});

it('a folder of SRS moves in: each stream is a content, and its numbers are epochs', async () => {
  const [camera, stage] = [unique('camera-2'), unique('stage')];
  const keys = join(folder.path, `${camera}-keys`);
  mkdirSync(join(keys, 'live'), { recursive: true });
  const written = new Map([0, 5, 10].map((n) => [n, randomBytes(16)]));
  for (const [n, key] of written) writeFileSync(join(keys, 'live', `${camera}-${n}.key`), key);
  writeFileSync(join(keys, 'live', `${camera}-0.ts`), 'not a key');
  const channel = unique('channel');
  await importFrom(join(keys, 'live'), '--content-id', channel);
  writeFileSync(join(keys, 'live', `${stage}-0.key`), randomBytes(16));
  await expect(importFrom(join(keys, 'live'), '--content-id', channel)).rejects.toThrow('of several streams');
  expect(await importFrom(keys)).toContain('Found 4 keys of 2 contents');
  for (const [n, key] of written)
    expect([await keyAt(`${camera}/${n}`), await keyAt(`${channel}/${n}`)]).toEqual([key, key]);
});
