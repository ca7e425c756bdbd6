import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { keyOfUrl, masterKeyEnv } from '../testing/encrypt-files.ts';
import { listen } from '../testing/listen.ts';
import { makeFragment, makeInitialization } from '../testing/media-boxes.ts';
import { playPresentation } from '../testing/play-presentation.ts';
import { apiKeyEnv, runCommand } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { startUploadServer } from '../testing/upload-server.ts';

const fragments = [makeFragment(Buffer.alloc(100, 1)), makeFragment(Buffer.alloc(50, 2))] as const;
const map = makeInitialization();
const [first, second] = fragments;
/** Renditions in folders, one of them a single file with ranges, and a gap without a file. */
const files = {
  'film/master.m3u8': [
    '#EXTM3U',
    '#EXT-X-SESSION-DATA:DATA-ID="a",URI="a.json?token=***"',
    '#EXT-X-SESSION-DATA:DATA-ID="b",URI="https://ads.example/a.json?id=1"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",URI="audio/en.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"',
    '720p/index.m3u8?token=canary',
    '',
  ].join('\r\n'),
  'film/720p/index.m3u8': [
    '#EXTM3U',
    '# a comment',
    `#EXT-X-MAP:URI="../all.mp4",BYTERANGE="${map.length}@0"`,
    '#EXTINF:2,',
    `#EXT-X-BYTERANGE:${first.length}@${map.length}`,
    '../all.mp4',
    '#EXTINF:2,',
    `#EXT-X-BYTERANGE:${second.length}`,
    '../all.mp4',
    '#EXT-X-ENDLIST',
  ].join('\n'),
  'film/all.mp4': Buffer.concat([map, ...fragments]),
  'film/audio/en.m3u8': [
    '#EXTM3U',
    '#EXTINF:2,',
    'a%20b.aac?token=canary',
    '#EXT-X-GAP',
    '#EXTINF:2,',
    'gone.aac?token=canary',
    '#EXTINF:2,',
    '/film/c?id=1&token=canary',
    '#EXT-X-ENDLIST',
  ].join('\n'),
  'film/audio/a b.aac': 'a',
  'film/c': 'c',
};

type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A web server with files. @param intercept answers a request itself and returns true */
async function serveFiles(folder: string, intercept: Intercept = () => false) {
  const asked: string[] = [];
  const origin = await listen((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    asked.push(pathname);
    if (intercept(request, response)) return;
    try {
      const bytes = readFileSync(join(folder, decodeURIComponent(pathname)));
      response.end(pathname.endsWith('.m3u8') ? bytes.toString().replaceAll('***', 'canary') : bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  return { origin, asked };
}

async function prepare(intercept?: Intercept, more: Record<string, string | Uint8Array> = {}) {
  const folder = writeFiles(temporaryFolder(), { ...files, ...more });
  const out = join(temporaryFolder(), 'out');
  const temporary = temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  const { origin, asked } = await serveFiles(folder, intercept);
  const run = (source: string, ...args: string[]) =>
    runCommand(['encrypt', source, '--content-id', 'film', '--out', out, ...args], { env });
  return { folder, origin, asked, out, run, left: () => readdirSync(temporary) };
}

const env = { ...masterKeyEnv, ...apiKeyEnv };

afterEach(() => void vi.unstubAllEnvs());

/** Every file below a folder, with its size. Names may have a hash of the bytes, and vectors are random. */
function list(folder: string): Record<string, number> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const withoutHash = (name: string) => name.replace(/\.[0-9a-f]{8}\./, '.');
  return Object.fromEntries(names.map((name) => [withoutHash(name), statSync(join(folder, name)).size]));
}

const play = (out: string) =>
  playPresentation(join(out, 'master.m3u8'), keyOfUrl).map(({ segments }) =>
    segments.map(({ clear }) => clear.toString()),
  );

it('encrypt of a playlist URL makes the same as from files on disk, requests each file once, and leaves no clear file', async () => {
  const { folder, origin, asked, out, run, left } = await prepare();
  const { exitCode, stdout, stderr } = await run(`${origin}/film/master.m3u8?token=canary`);
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringContaining(`Downloading 3 file(s) of ${origin}/film/master.m3u8?token=***`),
  ]);
  expect(asked).toHaveLength(6);
  expect(new Set(asked).size).toBe(6);
  expect(left()).toEqual([]);

  const fromDisk = join(folder, 'out');
  const audio = files['film/audio/en.m3u8'].replace('/film/c?id=1&token=canary', '../c');
  writeFiles(folder, { 'film/audio/en.m3u8': audio });
  await run(join(folder, 'film/master.m3u8'), '--out', fromDisk);
  expect(list(out)).toEqual(list(fromDisk));
  expect(play(out)).toEqual(play(fromDisk));
  expect(play(out)[0]).toEqual(['a', 'c']);
  const written = Object.keys(list(out)).filter((name) => name.endsWith('.m3u8'));
  const texts = written.map((name) => readFileSync(join(out, name), 'utf8')).join();
  expect(texts + stdout + stderr).not.toContain('canary');
});

it('encrypt of a playlist URL sends the header of an operator, and follows a redirect to a session', async () => {
  const { origin, out, run } = await prepare(({ url = '', headers }, response) => {
    const isKnown = headers['x-key'] === 'canary';
    if (isKnown && url !== '/film/master.m3u8') return false;
    response.writeHead(isKnown ? 302 : 401, { location: '/film/master.m3u8?session=canary' }).end();
    return true;
  });
  const header = ['--source-header', 'X-Key: canary'];
  const refused = await run(`${origin}/film/master.m3u8`);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('answers 401') });
  const { exitCode, stderr } = await run(`${origin}/film/master.m3u8`, ...header);
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('canary')]);
  expect(play(out)[0]).toEqual(['a', 'c']);
});

it.each([
  [
    'that is encrypted',
    { 'film/audio/en.m3u8': '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k?t=canary"\n#EXTINF:2,\na.ts' },
    /en\.m3u8:2: .*encrypted already/,
  ],
  [
    'with a file of this machine',
    { 'film/audio/en.m3u8': '#EXTM3U\n#EXTINF:2,\nfile:///etc/hosts' },
    /en\.m3u8:3: .*cannot be downloaded/,
  ],
  ['that is no playlist', { 'film/audio/en.m3u8': '<html>canary' }, /en\.m3u8: does not begin/],
])(
  'encrypt of a playlist URL refuses a presentation %s before it requests media',
  async (_, more, message) => {
    const { origin, asked, out, run, left } = await prepare(undefined, more);
    const { exitCode, stderr } = await run(`${origin}/film/master.m3u8?token=canary`);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(stderr).not.toContain('canary');
    expect(asked.every((path) => path.endsWith('.m3u8'))).toBe(true);
    expect([left(), existsSync(out)]).toEqual([[], false]);
  },
);

it('encrypt of a playlist URL tries a file again that the server cannot give now, and names the line of one that is not there', async () => {
  let failures = 0;
  const { origin, run } = await prepare(({ url }, response) => {
    if (url !== '/film/all.mp4' || failures === 2) return false;
    failures++;
    if (failures === 1) response.writeHead(503).end();
    else response.writeHead(200, { 'content-length': 9 }).write('x', () => response.destroy());
    return true;
  });
  const { exitCode, waits } = await run(`${origin}/film/master.m3u8`);
  expect({ exitCode, waits }).toEqual({ exitCode: 0, waits: [1, 2] });

  const gone = await prepare(({ url }, response) => {
    if (!url?.startsWith('/film/c')) return false;
    response.writeHead(410).end();
    return true;
  });
  const refused = await gone.run(`${gone.origin}/film/master.m3u8`);
  expect(refused.stderr).toMatch(/en\.m3u8:8: .*\/film\/c\?id=\*\*\*&token=\*\*\* answers 410/);
  expect(gone.left()).toEqual([]);
});

it('encrypt of a playlist URL refuses a folder that is not empty, and options of a playlist on disk, before it requests anything', async () => {
  const { origin, asked, out, run } = await prepare();
  const url = `${origin}/film/master.m3u8`;
  writeFiles(out, { 'a.ts': '' });
  expect((await run(url)).stderr).toContain('is not empty');
  expect((await run(url, '--source-root', '/')).stderr).toContain('--source-root is for a playlist on disk');
  expect((await run('http://')).stderr).toContain('is malformed');
  expect(asked).toEqual([]);
});

it('encrypt of a playlist URL that is interrupted leaves no clear file', async () => {
  const end = new AbortController();
  const { origin, out, left } = await prepare(({ url }, response) => {
    if (url !== '/film/all.mp4') return false;
    response.write('x', () => end.abort(new Error('interrupted')));
    return true;
  });
  const args = ['encrypt', `${origin}/film/master.m3u8`, '--content-id', 'film', '--out', out];
  const { exitCode, stderr } = await runCommand(args, { env, signal: end.signal });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('latchkey: interrupted')]);
  expect([left(), existsSync(out)]).toEqual([[], false]);
});

it('encrypt --upload of a playlist URL, repeated, encrypts and sends nothing again', async () => {
  const { origin, run } = await prepare();
  const { url, arrived } = await startUploadServer();
  const upload = (token: string) => {
    const args = ['--server', url, '--register', '--upload', '--keys-from', 'env'];
    return run(`${origin}/film/master.m3u8?token=${token}`, ...args);
  };
  expect(await upload('1')).toMatchObject({ exitCode: 0 });
  const before = arrived.length;
  expect(await upload('2')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Encrypted before'),
  });
  expect(arrived).toHaveLength(before);
});
