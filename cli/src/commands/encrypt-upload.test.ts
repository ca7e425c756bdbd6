import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { masterKeyEnv } from '../testing/encrypt-files.ts';
import { answerProblem } from '../testing/key-server.ts';
import { playPresentation } from '../testing/play-presentation.ts';
import { apiKey, apiKeyEnv, runCommand, startProcess } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { type Intercept, startUploadServer, type UploadServer } from '../testing/upload-server.ts';

const env = apiKeyEnv;
const names = Array.from({ length: 8 }, (_, n) => `${n}.ts`);
const clearFiles = {
  'master.m3u8': '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n720p.m3u8\n',
  '720p.m3u8': [
    '#EXTM3U',
    '#EXT-X-TARGETDURATION:2',
    ...names.flatMap((name) => ['#EXTINF:2,', name]),
    '#EXT-X-ENDLIST',
  ].join('\n'),
  ...Object.fromEntries(names.map((name) => [name, name])),
};
const masterKey = 'content/film/master.m3u8';
const registering = ['--register', '--name', 'A film'];

/** A clear presentation, and the arguments that encrypt and upload it. */
function makePresentation() {
  const folder = writeFiles(temporaryFolder(), clearFiles);
  const out = join(folder, 'out');
  const source = join(folder, 'master.m3u8');
  return { folder, out, args: ['encrypt', source, '--content-id', 'film', '--out', out, '--upload'] };
}
async function prepare(intercept?: Intercept) {
  const server = await startUploadServer(intercept);
  const { folder, out, args } = makePresentation();
  return { server, folder, out, args: [...args, '--server', server.url, ...registering] };
}

/** Plays the presentation in the bucket. */
function playBucket({ bucket, url }: UploadServer): string[] | undefined {
  const keyOf = (keyUrl: string) => Buffer.alloc(16, keyUrl.slice(url.length));
  return playPresentation(join(bucket, masterKey), keyOf)[0]?.segments.map(({ clear }) => clear.toString());
}

const isSegment = (path = '') => path.startsWith('/content/') && path.endsWith('.ts');

describe('latchkey encrypt --upload', () => {
  it('encrypt --upload puts an encrypted presentation into the bucket, segments first, and registers its manifestKey', async () => {
    const { server, out, args } = await prepare();
    const { exitCode, stdout, stderr } = await runCommand(args, { env });
    expect({ exitCode, played: playBucket(server) }).toEqual({ exitCode: 0, played: names });
    expect(server.arrived.slice(-2)).toEqual(['content/film/720p/index.m3u8', masterKey]);
    expect(readdirSync(join(server.bucket, 'content/film')).sort()).toEqual(['720p', 'master.m3u8']);
    expect(server.seen.filter((line) => !line.includes('presign') && !line.startsWith('PUT'))).toEqual([
      'GET /api/v1/content/film',
      'POST /api/v1/content',
      'GET /api/v1/content/film',
      'GET /keys/film',
      'PATCH /api/v1/content/film',
    ]);
    expect(stdout).toMatch(/Encrypted 8 segments[\s\S]*Uploaded 10 files, \d+ bytes\.\n/);
    expect(server.contents.get('film')).toMatchObject({ name: 'A film', manifestKey: masterKey });
    expect(stdout).toContain(masterKey);
    expect(stderr).toMatch(/Uploading 10 files[\s\S]*10 of 10 files\n$/);
    expect(stdout + stderr).not.toContain(apiKey);
    expect(existsSync(join(out, 'master.m3u8'))).toBe(true);
  });

  it('encrypt --upload, repeated, encrypts and sends nothing again', async () => {
    const { server, args } = await prepare();
    await runCommand(args, { env });
    const before = server.arrived.length;
    const { exitCode, stdout } = await runCommand(args, { env });
    expect([exitCode, server.arrived.length - before]).toEqual([0, 0]);
    expect(stdout).toContain('Encrypted before');
    expect(stdout).toContain('Uploaded 0 files, 0 bytes; 10 were there already.');
  });

  it('encrypt --upload refuses the folder of a changed source or of another key URL', async () => {
    const { server, folder, args } = await prepare();
    await runCommand(args, { env });
    const other = await runCommand([...args, '--key-url', 'https://keys.example.com'], { env });
    writeFileSync(join(folder, '3.ts'), 'other');
    const changed = await runCommand(args, { env });
    for (const { exitCode, stderr } of [other, changed]) {
      expect(exitCode).toBe(2);
      expect(stderr).toContain('is not empty; give a new folder, or --force');
    }
    const before = server.arrived.length;
    expect((await runCommand([...args, '--force'], { env })).exitCode).toBe(0);
    expect(server.arrived.length - before).toBe(10);
    expect(playBucket(server)?.[3]).toBe('other');
  });

  it.each([
    [403, 'INSUFFICIENT_SCOPE', 'The scope playback does not presign.', 'INSUFFICIENT_SCOPE'],
    [404, 'CONTENT_NOT_FOUND', 'No such content.', '--register'],
    [404, 'NOT_FOUND', 'Nothing is at this path.', 'ENABLE_PRESIGN'],
  ])('encrypt --upload finds a %i %s before it encrypts anything', async (status, code, detail, message) => {
    const { server, out, args } = await prepare((request, response) => {
      if (request.url !== '/presign') return false;
      answerProblem(response, status, code, detail);
      return true;
    });
    const { exitCode, stderr } = await runCommand(args, { env });
    expect([exitCode, existsSync(out), server.arrived]).toEqual([1, false, []]);
    expect(stderr).toContain(message);
  });

  it('encrypt --upload exits 1 if the store refuses a file, names it, holds the playlists back, and sends the rest when repeated', async () => {
    let refusing = true;
    const { server, args } = await prepare((request, response) => {
      if (!refusing || !request.url?.includes('/00003.')) return false;
      request
        .resume()
        .on('end', () => response.writeHead(400).end('<Error><Code>EntityTooLarge</Code></Error>'));
      return true;
    });
    const { exitCode, stderr } = await runCommand(args, { env });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /7 of 10 files are uploaded\. 720p\/00003\.[0-9a-f]{8}\.ts: the store answered 400 EntityTooLarge/,
    );
    expect(server.arrived.filter((key) => key.endsWith('.m3u8'))).toEqual([]);
    refusing = false;
    expect((await runCommand(args, { env })).exitCode).toBe(0);
    expect(server.arrived).toHaveLength(10);
    expect(playBucket(server)).toEqual(names);
  });

  it('encrypt --upload lets caches keep segments for a year and playlists for a minute', async () => {
    const { server, args } = await prepare();
    const { stderr } = await runCommand([...args, '--quiet'], { env });
    expect(stderr).toBe('');
    expect(server.cacheControl.size).toBe(10);
    for (const [key, value] of server.cacheControl)
      expect(value).toBe(
        key.endsWith('.m3u8') ? 'public, max-age=60' : 'public, max-age=31536000, immutable',
      );
  });

  it('encrypt --upload with --cache-control-segments and --cache-control-playlists sends these, and repeated with others sends the files again', async () => {
    const { server, args } = await prepare();
    const given = ['--cache-control-segments', 'public, max-age=60', '--cache-control-playlists', 'no-cache'];
    await runCommand([...args, ...given], { env });
    for (const [key, value] of server.cacheControl)
      expect(value).toBe(key.endsWith('.m3u8') ? 'no-cache' : 'public, max-age=60');
    const { stdout } = await runCommand([...args, ...given.slice(0, 2)], { env });
    expect(stdout).toContain('Uploaded 2 files');
    expect(server.cacheControl.get(masterKey)).toBe('public, max-age=60');
  });

  it('encrypt --upload --plain-names names segments by their number, and warns that caches may keep old ones', async () => {
    const { server, args } = await prepare();
    const { stderr } = await runCommand([...args, '--plain-names', '--quiet'], { env });
    expect(stderr).toMatch(/^latchkey: warning: --plain-names .*--cache-control-segments/);
    expect(server.arrived).toContain('content/film/720p/00003.ts');
    const shorter = [...args, '--plain-names', '--quiet', '--cache-control-segments', 'no-cache'];
    expect((await runCommand(shorter, { env })).stderr).toBe('');
    expect((await runCommand(args, { env })).stderr).toContain('is not empty; give a new folder, or --force');
  });

  it('encrypt --upload works with keys of this machine, and reads the API key from a file', async () => {
    const { server, folder, args } = await prepare();
    writeFileSync(join(folder, 'api-key'), `${apiKey}\n`);
    const more = ['--keys-from', 'env', '--api-key-file', join(folder, 'api-key')];
    const { exitCode, stdout } = await runCommand([...args, ...more], { env: masterKeyEnv });
    expect([exitCode, server.arrived.length]).toEqual([0, 10]);
    expect(stdout).toContain('version 1 of the master key');
    expect(server.seen.some((line) => line.includes('/keys/'))).toBe(false);
  });

  it.each([
    ['without a server', [], masterKeyEnv, '--upload needs --server'],
    ['without an API key', ['--server', 'http://x'], {}, '--api-key-file'],
    [
      'with a Cache-Control that is not signed',
      ['--server', 'http://x', '--cache-control-playlists', 'private'],
      env,
      'Accepted: "no-cache"',
    ],
    [
      'with a file that is no API key',
      ['--server', 'http://x', '--api-key-file', '/dev/null'],
      {},
      'LATCHKEY_API_KEY',
    ],
  ])('encrypt --upload exits 2 %s', async (_, more, variables, message) => {
    const { exitCode, stderr } = await runCommand([...makePresentation().args, ...more], { env: variables });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('latchkey encrypt --upload that ends in the middle', () => {
  /** Runs the command as a process, and kills it. */
  function runKilled(args: string[]) {
    const child = startProcess('main.ts', args, { ...process.env, ...apiKeyEnv });
    return { end: () => child.kill('SIGKILL'), ended: once(child, 'close') };
  }
  /** As SIGINT and SIGTERM do. */
  function runInterrupted(args: string[]) {
    const interruption = new AbortController();
    const ran = runCommand(args, { env, signal: interruption.signal });
    return { end: () => interruption.abort(new Error('interrupted')), ended: ran };
  }

  it.each([
    ['SIGKILL', runKilled, [null, 'SIGKILL']],
    [
      'an interruption',
      runInterrupted,
      {
        exitCode: 1,
        stderr: expect.stringContaining(
          'interrupted; 4 of 10 files are uploaded. The same command sends the rest.',
        ),
      },
    ],
  ] as const)(
    'encrypt --upload, repeated after %s, sends only what was not acknowledged',
    async (_, run, ending) => {
      let holding = true;
      let segments = 0;
      const { promise: holds, resolve: held } = Promise.withResolvers<void>();
      // Four are acknowledged; of the others, none is while it holds.
      const { server, out, args } = await prepare((request) => {
        if (!holding || !isSegment(request.url) || ++segments <= 4) return false;
        if (segments === 8) held();
        return true;
      });
      const { end, ended } = run(args);
      await holds;
      end();
      expect(await ended).toMatchObject(ending);
      const arrived = [...server.arrived];
      expect(arrived).toHaveLength(4);
      const before = readFileSync(join(out, '720p/index.m3u8'), 'utf8');

      holding = false;
      const { exitCode, stdout } = await runCommand(args, { env });
      expect(exitCode).toBe(0);
      expect(stdout).toContain('Uploaded 6 files');
      expect(server.arrived.filter((key) => arrived.includes(key))).toEqual(arrived);
      expect(readFileSync(join(out, '720p/index.m3u8'), 'utf8')).toBe(before);
      expect(playBucket(server)).toEqual(names);
    },
    120_000,
  );
});
