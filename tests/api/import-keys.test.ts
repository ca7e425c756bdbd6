import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { readShared, startSingleNode } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { decodeVideo, ffmpeg } from '@latchkey/support/playback/decode-video';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import { runCli } from '@latchkey/support/processes/run-cli';
import { viewerToken } from '@latchkey/support/tokens';
import type { MadeVideo } from '@latchkey/support/video/make-video';
import { runFfmpeg } from '@latchkey/support/video/run-ffmpeg';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { derive } from './derive.ts';

/** Of the server that the library leaves. */
const old = { MASTER_KEY_HEX: 'aa'.repeat(32), SALT_HEX: 'bb'.repeat(32) };

const folder = makeFolder();
const media = await startMediaServer(folder.path);
afterAll(() => {
  media.close();
  folder.remove();
});
// The command is tested here. The routes that it calls are tested on every profile: imported-keys.test.ts.
const [server, other, clear] = await Promise.all([
  startSingleNode(),
  // Its own keys are others.
  startSingleNode({ MASTER_KEY_HEX: 'cc'.repeat(32), SALT_HEX: 'dd'.repeat(32) }),
  readShared<MadeVideo>('/videos/short'),
]);
const { client, adminApiKey: admin, url } = server;

const run = (args: string[], as = admin) => runCli(args, { LATCHKEY_API_KEY: as });
const importFrom = (source: string, ...more: string[]) => run(['import', source, '--server', url, ...more]);

const oldKey = (path: string) => derive(path.replace(/^\/keys\//, ''), old.MASTER_KEY_HEX, old.SALT_HEX);

/** A key server of someone else, which wants a header. */
async function startOldServer(secret: string) {
  const listener = createServer((request, response) => {
    if (request.headers['x-old'] !== secret) response.writeHead(403).end();
    else response.end(oldKey(request.url ?? ''));
  });
  const { origin, close } = await listenOnLoopback(listener);
  onTestFinished(close);
  return origin;
}

/** Where the playlists of other libraries have their keys, until a test names another place. */
const oldUrl = 'https://old.invalid';

/** A library as another server would have it: a key for each segment. @returns its name below the media server */
async function makeLibrary(container: 'ts' | 'fmp4'): Promise<string> {
  const name = unique('library');
  const out = join(folder.path, name);
  const keys = ['--key-url', oldUrl, '--rotate-every', '1', '--content-id', 'old'];
  await runCli(['encrypt', clear[container], '--out', out, ...keys], old);
  return name;
}

const [ts, fmp4] = await Promise.all([makeLibrary('ts'), makeLibrary('fmp4')]);
const libraries = { ts, fmp4 };

/**
 * Copies a library.
 *
 * @param keyUrl the URL of a key in a playlist that is `depth` folders below the folder of the library
 * @returns the name of the copy, and its playlists
 */
function copyLibrary(container: 'ts' | 'fmp4', keyUrl: (epoch: string, depth: number) => string) {
  const name = unique(container);
  const root = join(folder.path, name);
  cpSync(join(folder.path, libraries[container]), root, { recursive: true });
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const playlists = files.filter((file) => file.endsWith('.m3u8'));
  for (const file of playlists) {
    const text = readFileSync(join(root, file), 'utf8');
    const depth = file.split('/').length - 1;
    const keys = new RegExp(`${oldUrl}/keys/old/(\\d+)`, 'g');
    writeFileSync(
      join(root, file),
      text.replace(keys, (_, epoch) => keyUrl(epoch, depth)),
    );
  }
  return { name, playlist: join(root, 'master.m3u8'), playlists: playlists.map((file) => join(root, file)) };
}

const viewer = () => ({ authorization: `Bearer ${viewerToken(server.jwtSecret, unique('viewer'))}` });
const play = (name: string) => decodeVideo(ffmpeg, `${media.origin}/${name}/master.m3u8`, viewer());
const exists = async (id: string) => (await client.get(`/api/v1/content/${id}`, admin)).status === 200;

it.each(['ts', 'fmp4'] as const)(
  'a library (%s) whose keys are at another server moves in, and plays to the end with the keys that it had',
  async (container) => {
    const secret = randomBytes(8).toString('hex');
    const keyUrl = await startOldServer(secret);
    const { name, playlist } = copyLibrary(container, (epoch) => `${keyUrl}/keys/old/${epoch}`);
    const contentId = unique('film');
    const headers = ['--source-header', `X-Old: ${secret}`, '--source-header-origin', keyUrl];
    const said = await importFrom(playlist, '--content-id', contentId, ...headers, '--in-place');
    expect(said).toContain(container === 'ts' ? 'MPEG-TS' : 'fMP4');
    expect(said).not.toContain(oldKey('/keys/old/0').toString('hex'));
    expect(readFileSync(`${playlist}.before-import`, 'utf8')).toContain(`${keyUrl}/keys/old/0`);
    const rewritten = readFileSync(playlist, 'utf8');
    expect(rewritten).toContain(`${url}/keys/${contentId}/0`);
    expect(rewritten).not.toContain(keyUrl);
    expect(await play(name)).toEqual(await decodeVideo(ffmpeg, clear[container]));
  },
);

it('an import sends a header only to an allowed origin, stores nothing as a dry run, and does not read keys of this server', async () => {
  const keyUrl = await startOldServer('secret');
  const { playlist } = copyLibrary('ts', (epoch) => `${keyUrl}/keys/old/${epoch}`);
  const contentId = unique('film');
  const id = ['--content-id', contentId];
  const headers = ['--source-header', 'X-Old: secret', '--source-header-origin', keyUrl];
  const own = copyLibrary('ts', (epoch) => `${url}/keys/${contentId}/${epoch}`);
  const [unsent, said, again] = await Promise.allSettled([
    importFrom(playlist, ...id, '--source-header', 'X-Old: secret'),
    importFrom(playlist, ...id, ...headers, '--dry-run'),
    importFrom(own.playlist, ...id, '--in-place'),
  ]);
  expect(unsent).toMatchObject({
    reason: { message: expect.stringContaining(`--source-header-origin ${keyUrl} allows it`) },
  });
  expect(said).toMatchObject({ value: expect.stringContaining('Nothing was stored') });
  // An import of what was imported would find its own keys, which it may not read.
  expect(again).toMatchObject({ reason: { message: expect.stringContaining('answers 401') } });
  expect(await exists(contentId)).toBe(false);
});

it("ffmpeg's own output with a key file moves in, and is written into a folder of its own", async () => {
  const name = unique('ffmpeg');
  const from = join(folder.path, name);
  mkdirSync(from);
  const key = randomBytes(16);
  writeFileSync(join(from, 'film.key'), key);
  writeFileSync(join(from, 'info'), `film.key\n${join(from, 'film.key')}\n`);
  const playlist = join(from, 'master.m3u8');
  await runFfmpeg(ffmpeg, [
    ...['-i', clear.ts, '-c', 'copy', '-f', 'hls', '-hls_time', '2', '-hls_playlist_type', 'vod'],
    ...['-hls_key_info_file', join(from, 'info'), playlist],
  ]);
  const contentId = unique('film');
  const to = join(folder.path, `${name}-new`);
  const id = ['--content-id', contentId];
  await importFrom(playlist, ...id, '--playlists-to', to);
  expect(readdirSync(to)).toEqual(['master.m3u8']);
  const { bytes } = await client.get(`/keys/${contentId}`, admin);
  expect(bytes).toEqual(key);
  const before = await play(name);
  await importFrom(playlist, ...id, '--in-place');
  expect(readFileSync(playlist, 'utf8')).toBe(readFileSync(join(to, 'master.m3u8'), 'utf8'));
  expect(await play(name)).toEqual(before);
});

it('a wrong key is refused before anything is stored, and so are other methods and files that are no keys', async () => {
  const contentId = unique('film');
  const id = ['--content-id', contentId];
  /** Imports a library with its keys in files, of which one is wrong, or with another line for its key. */
  const attempt = async (wrong: Buffer | null, method = 'METHOD=AES-128') => {
    const { playlist, playlists } = copyLibrary('ts', (n, depth) => `${'../'.repeat(depth)}key-${n}`);
    for (let n = 0; n < 7; n++)
      writeFileSync(join(dirname(playlist), `key-${n}`), n === 2 && wrong ? wrong : oldKey(`/keys/old/${n}`));
    const [media = ''] = playlists.filter((path) => readFileSync(path, 'utf8').includes('#EXTINF'));
    writeFileSync(media, readFileSync(media, 'utf8').replace('METHOD=AES-128', method));
    const outcome = await importFrom(playlist, ...id, '--in-place').catch((error) => error.message);
    expect(existsSync(`${playlist}.before-import`)).toBe(false);
    return outcome;
  };
  const clearOne = join(dirname(clear.ts), '0', 'index.m3u8');
  const refusals = await Promise.all([
    attempt(randomBytes(16)),
    attempt(randomBytes(17)),
    attempt(null, 'METHOD=SAMPLE-AES'),
    attempt(null, 'METHOD=AES-128,KEYFORMAT="com.apple.streamingkeydelivery"'),
    ...[clearOne, clear.ts].map((path) => importFrom(path, ...id).catch((error) => error.message)),
  ]);
  expect(refusals).toEqual([
    expect.stringMatching(/key-2 is not the key of .* Nothing was stored/),
    expect.stringContaining('key-2 has 17 bytes and is not a key'),
    expect.stringContaining('METHOD=SAMPLE-AES; accepted: AES-128'),
    expect.stringContaining('the key belongs to another system'),
    expect.stringContaining('is not encrypted'),
    expect.stringContaining('is not encrypted'),
  ]);
  expect(await exists(contentId)).toBe(false);
});

it('keys leave by a table and move into another server, which then serves them', async () => {
  const [first, second] = [await registerContent(server), await registerContent(server)];
  const key = randomBytes(16);
  const put = { as: admin, body: key };
  expect((await client.call('PUT', `/api/v1/content/${first}/keys/40`, put)).status).toBe(204);
  const table = join(folder.path, `${first}.csv`);
  const exportTo = (file: string, ...more: string[]) =>
    run(['export-keys', first, second, '--server', url, '--out', file, ...more]);
  await exportTo(table, '--epochs', '0-1500');
  expect(statSync(table).mode & 0o777).toBe(0o600);
  await expect(exportTo(table)).rejects.toThrow('exists already');
  const lines = readFileSync(table, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(1 + 2 * 1_501);
  expect(lines).toContain(`${first},40,${key.toString('hex')}`);
  const { raw } = await createApiKey(server, 'packager');
  await expect(run(['export-keys', '--all', '--server', url, '--out', '-'], raw)).rejects.toThrow(
    'INSUFFICIENT_SCOPE',
  );

  const own = await exportTo('-');
  const [head, ...rows] = own.split('\n');
  expect(head).toBe('contentId,epoch,key');
  expect(rows.map((row) => row.split(',').slice(0, 2).join())).toEqual([
    `${first},`,
    `${first},40`,
    `${second},`,
  ]);
  const moved = join(folder.path, `${first}-moved.csv`);
  writeFileSync(moved, own);
  const importThere = (...more: string[]) =>
    run(['import', moved, '--server', other.url, ...more], other.adminApiKey);
  expect(await importThere()).toContain('Stored 3 keys');
  const keyOf = async (path: string) => (await other.client.get(`/keys/${path}`, other.adminApiKey)).bytes;
  expect(await keyOf(`${first}/40`)).toEqual(key);
  expect(await keyOf(second)).toEqual((await client.get(`/keys/${second}`, admin)).bytes);

  // The same again changes nothing; another key is refused until --replace.
  await importThere();
  writeFileSync(moved, `contentId,epoch,key\n${first},40,${randomBytes(16).toString('base64')}\n`);
  await expect(importThere()).rejects.toThrow('has another imported key already');
  expect(await keyOf(`${first}/40`)).toEqual(key);
  await importThere('--replace');
  expect(await keyOf(`${first}/40`)).not.toEqual(key);
});

it('a folder of key files moves in, called by contents or by the epochs of one', async () => {
  const id = unique('film');
  const keys = join(folder.path, `${id}-keys`);
  mkdirSync(join(keys, id), { recursive: true });
  const [whole, seventh] = [randomBytes(16), randomBytes(16)];
  writeFileSync(join(keys, `${id}.key`), whole);
  writeFileSync(join(keys, id, '7.bin'), `${seventh.toString('hex')}\n`);
  writeFileSync(join(keys, 'README'), 'not a key');
  expect(await importFrom(keys)).toContain('Found 2 keys of 1 contents');
  const keyOf = async (path: string) => (await client.get(`/keys/${path}`, admin)).bytes;
  expect([await keyOf(id), await keyOf(`${id}/7`)]).toEqual([whole, seventh]);
  const other = unique('film');
  await importFrom(join(keys, id), '--content-id', other);
  expect(await keyOf(`${other}/7`)).toEqual(seventh);
  writeFileSync(join(keys, id, '8.key'), 'too short');
  await expect(importFrom(keys)).rejects.toThrow('8.key has 9 bytes and is not a key');
  writeFileSync(join(keys, id, '8.key'), whole);
  writeFileSync(join(keys, 'a b.key'), whole);
  await expect(importFrom(keys)).rejects.toThrow('"a b" cannot be the id of a content');
});
