import { spawn } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@latchkey/support/black-box/eventually';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { uploadSettings } from '@latchkey/support/black-box/upload-settings';
import { runCli } from '@latchkey/support/processes/run-cli';
import { repositoryFolder } from '@latchkey/support/repository';
import { startS3Server } from '@latchkey/support/stores/s3-server';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { type CachingProxy, createCachingProxy } from './caching-proxy.ts';

// `latchkey encrypt --upload` into a bucket that players read through a CDN.
const store = await startS3Server();
afterAll(() => store.close());
// Its own, because its store is of this file.
const server = await startServer(uploadSettings(store));
const env = { LATCHKEY_API_KEY: (await createApiKey(server, 'admin')).raw };

const openCdn = (contentId: string) =>
  createCachingProxy(`${store.endpoint}/${store.bucket}/content/${contentId}`);

function mediaPlaylist(count: number, ...end: string[]): string {
  const segments = Array.from({ length: count }, (_, n) => `#EXTINF:2,\n${n}.ts`);
  return `${['#EXTM3U', '#EXT-X-TARGETDURATION:2', ...segments, ...end].join('\n')}\n`;
}

/** The names and the clear bytes of all segments, as a player behind the CDN gets them. */
async function play(cdn: CachingProxy, playlist: string) {
  const text = (await cdn.get(playlist)).toString();
  const names: string[] = [];
  const clear: string[] = [];
  for (const [, uri = '', iv = '', name = ''] of text.matchAll(
    /URI="([^"]+)",IV=0x(\S+)\n#EXTINF.*\n(\S+)/g,
  )) {
    const key = await server.client.get(new URL(uri).pathname, server.adminApiKey);
    const decipher = createDecipheriv('aes-128-cbc', key.bytes, Buffer.from(iv, 'hex'));
    names.push(name);
    clear.push(Buffer.concat([decipher.update(await cdn.get(`/${name}`)), decipher.final()]).toString());
  }
  return { names, clear };
}

it('segments of a film are fetched from the bucket once, and the film that is encrypted again plays as soon as its playlist is', async () => {
  const contentId = unique('film');
  const folder = makeTestFolder();
  const cdn = openCdn(contentId);
  const upload = async (edition: string) => {
    for (let n = 0; n < 3; n++) writeFileSync(join(folder, `${n}.ts`), `${edition} ${n}`);
    writeFileSync(join(folder, 'film.m3u8'), mediaPlaylist(3, '#EXT-X-ENDLIST'));
    const args = [
      'encrypt',
      join(folder, 'film.m3u8'),
      '--content-id',
      contentId,
      '--out',
      join(folder, edition),
    ];
    await runCli([...args, '--server', server.url, '--register', '--upload'], env);
  };

  await upload('first');
  const first = await play(cdn, '/film.m3u8');
  expect(first.clear).toEqual(['first 0', 'first 1', 'first 2']);
  cdn.advance(86_400 * 300);
  expect((await play(cdn, '/film.m3u8')).clear).toEqual(first.clear);
  expect(cdn.fetched.filter((path) => path.endsWith('.ts'))).toHaveLength(3);

  await upload('second');
  // Until the old playlist is over, it plays on, also with segments that no cache has.
  expect((await play(cdn, '/film.m3u8')).clear).toEqual(first.clear);
  const elsewhere = openCdn(contentId);
  for (const name of first.names) await elsewhere.get(`/${name}`);
  cdn.advance(60);
  const second = await play(cdn, '/film.m3u8');
  expect(second.clear).toEqual(['second 0', 'second 1', 'second 2']);
  expect(second.names.filter((name) => first.names.includes(name))).toEqual([]);
});

it('a live playlist in the bucket is never an old one, and its segments are fetched once', async () => {
  const contentId = unique('channel');
  const folder = makeTestFolder();
  const cdn = openCdn(contentId);
  const source = join(folder, 'live.m3u8');
  const grow = (count: number, ...end: string[]) => {
    for (let n = 0; n < count; n++) writeFileSync(join(folder, `${n}.ts`), `segment ${n}`);
    writeFileSync(`${source}.new`, mediaPlaylist(count, ...end));
    renameSync(`${source}.new`, source);
  };
  grow(2);
  const args = ['encrypt', '--live', source, '--content-id', contentId, '--out', join(folder, 'out')];
  const child = spawn(
    process.execPath,
    [
      join(repositoryFolder, 'cli/src/main.ts'),
      ...args,
      ...['--server', server.url, '--register', '--period', '3600', '--upload', '--quiet'],
    ],
    { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const expectSegments = (count: number) =>
    eventually(async () =>
      expect((await play(cdn, '/live.m3u8')).clear).toEqual(
        Array.from({ length: count }, (_, n) => `segment ${n}`),
      ),
    );
  await expectSegments(2);
  grow(3);
  await expectSegments(3);
  grow(3, '#EXT-X-ENDLIST');
  expect(await ended).toEqual([0, null]);
  expect((await cdn.get('/live.m3u8')).toString()).toContain('#EXT-X-ENDLIST');
  const fetched = cdn.fetched.filter((path) => path.endsWith('.ts'));
  expect(fetched).toHaveLength(new Set(fetched).size);
});
