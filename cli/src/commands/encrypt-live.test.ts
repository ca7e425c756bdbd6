import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyOfUrl } from '../testing/encrypt-files.ts';
import { clearTexts, liveFiles } from '../testing/follow-live.ts';
import { listen } from '../testing/listen.ts';
import { startLiveKeyServer } from '../testing/live-key-server.ts';
import { playPresentation } from '../testing/play-presentation.ts';
import { apiKeyEnv, realTime, runCommand } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { startUploadServer } from '../testing/upload-server.ts';

const inRealTime = { env: apiKeyEnv, ...realTime };
/** A source that has ended: the command ends too. */
const ended = liveFiles(3, 'a', 'b', '#EXT-X-ENDLIST');
const clock = {
  mode: 'clock',
  origin: '2026-01-01T00:00:00.000Z',
  periodSeconds: 10,
  ahead: 1,
  behind: null,
};

/** The arguments that follow a source into a folder. */
const liveArgs = (source: string, out: string, contentId = 'channel') => [
  ...['encrypt', '--live', source, '--content-id', contentId, '--out', out],
];
async function encryptLive(server: string, more: readonly string[] = []) {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  writeFiles(join(folder, 'in'), ended);
  const args = [...liveArgs(join(folder, 'in/live.m3u8'), out), '--server', server, ...more];
  return { ...(await runCommand(args, inRealTime)), out };
}

const playedIn = (out: string) => {
  const [played] = playPresentation(join(out, 'live.m3u8'), keyOfUrl);
  return played ? clearTexts(played) : [];
};

describe('--live and the key periods of the content', () => {
  it('--register states periods for content that has none, and changes nothing else of it', async () => {
    const { url, seen } = await startLiveKeyServer(null);
    const { exitCode } = await encryptLive(url, ['--register']);
    expect(exitCode).toBe(0);
    expect(seen[1]?.line).toBe('PATCH /api/v1/content/channel');
    expect(JSON.parse(seen[1]?.body ?? '')).toEqual({
      keyPeriods: expect.objectContaining({ periodSeconds: 60 }),
    });
  });

  it('periods that the content has already hold, and a --period that differs gets a warning', async () => {
    const { url, seen } = await startLiveKeyServer(clock);
    const { exitCode, stderr, out } = await encryptLive(url, ['--register', '--period', '30']);
    expect(exitCode).toBe(0);
    expect(seen.filter(({ line }) => !line.startsWith('GET'))).toEqual([]);
    expect(stderr).toContain('periods of 10 s already');
    const epoch = Number(/channel\/(\d+)"/.exec(readFileSync(join(out, 'live.m3u8'), 'utf8'))?.[1]);
    expect(epoch).toBeCloseTo((Date.now() - Date.parse(clock.origin ?? '')) / 10_000, -1);
  });

  it("an encoder whose clock differs from the server's is told by how much", async () => {
    const ahead = await startLiveKeyServer(clock);
    ahead.state.clockOffsetMs = 30_000;
    expect((await encryptLive(ahead.url)).stderr).toMatch(
      /clock of this machine is (29|30|31)(\.\d)? s behind the server/,
    );
    const level = await startLiveKeyServer(clock);
    expect((await encryptLive(level.url)).stderr).not.toContain('clock of this machine');
  });

  it.each([
    ['not stated', null, '--register states them'],
    ['for a finished film', { mode: 'sequence', count: 9, periodSeconds: 10 }, 'accepted: mode "clock"'],
  ])('content whose key periods are %s is refused, and nothing is written', async (_, periods, detail) => {
    const { url } = await startLiveKeyServer(periods);
    const { exitCode, stderr, out } = await encryptLive(url);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(detail);
    expect(existsSync(out)).toBe(false);
  });
});

it.each([
  [['--rotate-every', '2'], '--period'],
  [['--per-rendition-ids'], 'one content id'],
  [['--force'], 'new --out folder'],
  [['--env-file', 'x.env'], 'keys from a server'],
  [['--period', '0'], '1 or more'],
  [['--source-header', 'Referer: https://x/'], 'for a source behind an http URL'],
  [['--source-header', 'Referer'], 'another form than "Name: value"'],
  [['--playlist-url', 'https://x/a.m3u8'], '--playlist-url is stated by --register'],
  [['--register', '--playlist-url', '/a.m3u8'], '--playlist-url "/a.m3u8"; accepted: an http or https URL'],
  [['--register', '--playlist-url', 'file:///a?token=1'], '--playlist-url "file:///a?token=***"; accepted'],
  [['--register', '--playlist-url', 'https://x/a', '--per-rendition-ids'], 'not with --per-rendition-ids'],
])('--live refuses %j before any request, and explains why', async (options, detail) => {
  const { url, seen } = await startLiveKeyServer(clock);
  const { exitCode, stderr } = await encryptLive(url, options);
  expect([exitCode, stderr, seen]).toEqual([2, expect.stringContaining(detail), []]);
});

it('--playlist-url is stated once, at the start, and not again when the same command goes on', async () => {
  const playlistUrl = 'https://cdn.example/channel/live.m3u8';
  let stored: string | undefined;
  const { url, seen } = await startLiveKeyServer(clock, (_, response, n) => {
    stored = JSON.parse(seen[n]?.body || '{}').playlistUrl ?? stored;
    response.end(JSON.stringify({ content: { id: 'channel', keyPeriods: clock, playlistUrl: stored } }));
  });
  for (let n = 0; n < 2; n++) {
    const run = await encryptLive(url, ['--register', '--playlist-url', playlistUrl]);
    expect(run.exitCode).toBe(0);
  }
  const changes = seen.filter(({ body }) => body !== '');
  expect(changes.map(({ line, body }) => [line, JSON.parse(body)])).toEqual([
    ['PATCH /api/v1/content/channel', { playlistUrl }],
  ]);
});

it('a server that is away at the start is waited for', async () => {
  const { url, state } = await startLiveKeyServer(clock);
  state.isAway = true;
  const run = encryptLive(url);
  // Started, and certain to meet it: the first request fails before this one does.
  await fetch(url).catch(() => {});
  state.isAway = false;
  const { exitCode, out } = await run;
  expect(exitCode).toBe(0);
  expect(playedIn(out)).toEqual(['a', 'b']);
});

it('an API key that may not read keys ends the command', async () => {
  const { url } = await startLiveKeyServer(clock, (_, response) => void response.writeHead(403).end('{}'));
  const { exitCode, stderr } = await encryptLive(url);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('403')]);
});

it('a folder that was not made by --live, or has another channel, is refused and stays as it is', async () => {
  const { url } = await startLiveKeyServer(clock);
  const folder = writeFiles(temporaryFolder(), { 'out/holiday.jpg': 'x', ...ended });
  const args = (id: string, out: string) => [
    ...liveArgs(join(folder, 'live.m3u8'), join(folder, out), id),
    ...['--server', url],
  ];
  const other = await runCommand(args('channel', 'out'), inRealTime);
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('is not empty')]);
  expect(readdirSync(join(folder, 'out'))).toEqual(['holiday.jpg']);
  expect((await runCommand(args('channel', 'live'), inRealTime)).exitCode).toBe(0);
  const before = readFileSync(join(folder, 'live/live.m3u8'), 'utf8');
  const { exitCode, stderr } = await runCommand(args('another', 'live'), inRealTime);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('give another folder')]);
  expect(readFileSync(join(folder, 'live/live.m3u8'), 'utf8')).toBe(before);
});

it('SIGTERM ends the command with exit code 0 and leaves the playlist as it is, and the same command goes on', async () => {
  const { url } = await startLiveKeyServer(clock);
  const folder = writeFiles(temporaryFolder(), liveFiles(0, 'a'));
  const interruption = new AbortController();
  const out = join(folder, 'out');
  const args = [...liveArgs(join(folder, 'live.m3u8'), out), '--server', url];
  const run = runCommand(args, { ...inRealTime, signal: interruption.signal });
  await expect.poll(() => existsSync(join(out, 'live.m3u8'))).toBe(true);
  const before = readFileSync(join(out, 'live.m3u8'), 'utf8');
  interruption.abort(new Error('interrupted'));
  expect(await run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Stopped') });
  expect(readFileSync(join(out, 'live.m3u8'), 'utf8')).toBe(before);
  writeFiles(folder, liveFiles(0, 'a', 'b', '#EXT-X-ENDLIST'));
  expect((await runCommand(args, inRealTime)).exitCode).toBe(0);
  expect(readFileSync(join(out, 'live.m3u8'), 'utf8').startsWith(before)).toBe(true);
  expect(playedIn(out)).toEqual(['a', 'b']);
});

describe('a source on a web server', () => {
  const serve = (files: Readonly<Record<string, string>>) =>
    listen((request, response) => {
      const path = (request.url ?? '/').slice(1);
      const found = files[path.replace(/\?.*$/, '')];
      if (found === undefined) return void response.writeHead(404).end();
      const etag = `"${found.length}"`;
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (from === undefined) return void response.writeHead(200, { etag }).end(found);
      response.writeHead(206).end(found.slice(Number(from), Number(to) + 1));
    });
  const follow = async (source: string) => {
    const { url } = await startLiveKeyServer(clock);
    const out = join(temporaryFolder(), 'out');
    return { ...(await runCommand([...liveArgs(source, out), '--server', url], inRealTime)), out };
  };

  it('a live playlist behind an http URL is followed, byte ranges included', async () => {
    const ranges =
      '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n#EXT-X-BYTERANGE:3@0\nall.ts\n#EXTINF:2,\n#EXT-X-BYTERANGE:4\nall.ts\n';
    const url = await serve({ 'live.m3u8': `${ranges}#EXT-X-ENDLIST\n`, 'all.ts': 'oneTWO!' });
    const { exitCode, out } = await follow(`${url}/live.m3u8?token=1`);
    expect(exitCode).toBe(0);
    expect(playedIn(out)).toEqual(['one', 'TWO!']);
  });

  it('headers from the option and from a file, and the user of the URL, reach each request to the source, and are shown nowhere', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const origin = await listen(({ url = '', headers }, response) => {
      seen.push(headers);
      const isKnown = headers.authorization && headers['x-token'] && headers.referer;
      if (!isKnown) return void response.writeHead(401).end();
      response.end(ended[url.slice(1) as keyof typeof ended]);
    });
    const { url } = await startLiveKeyServer(clock);
    const folder = writeFiles(temporaryFolder(), { headers: 'X-Token: canary\n' });
    const source = `${origin.replace('//', '//user:canary@')}/live.m3u8`;
    const args = [...liveArgs(source, join(folder, 'out')), '--server', url];
    const { exitCode, stdout, stderr } = await runCommand([...args, '--source-header', 'Referer: canary'], {
      ...inRealTime,
      env: { ...apiKeyEnv, LATCHKEY_SOURCE_HEADERS_FILE: join(folder, 'headers') },
    });
    expect([exitCode, playedIn(join(folder, 'out'))]).toEqual([0, ['a', 'b']]);
    const sent = { authorization: `Basic ${btoa('user:canary')}`, 'x-token': 'canary', referer: 'canary' };
    expect(seen).toEqual(seen.map(() => expect.objectContaining(sent)));
    expect(seen.length).toBeGreaterThanOrEqual(3);
    const files = readdirSync(join(folder, 'out')).map((name) =>
      readFileSync(join(folder, 'out', name), 'latin1'),
    );
    expect([stdout, stderr, ...files].join('\n')).not.toContain('canary');
  });

  it('a playlist on a web server may not name files of another server or of this machine', async () => {
    for (const uri of ['http://127.0.0.1:9/a.ts', 'file:///etc/passwd', '//127.0.0.1:9/a.ts']) {
      const url = await serve({
        'live.m3u8': `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${uri}\n#EXT-X-ENDLIST\n`,
      });
      const { exitCode, stderr } = await follow(`${url}/live.m3u8`);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is on another server')]);
    }
  });
});

const withoutHash = (name: string) => name.replace(/\.[0-9a-f]{8}\./, '.');

it('--upload sends each segment before the playlist that names it, and neither a clear file nor the state', async () => {
  const server = await startUploadServer();
  const master = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlive.m3u8\n';
  const folder = writeFiles(temporaryFolder(), { ...ended, 'master.m3u8': master });
  const args = liveArgs(join(folder, 'master.m3u8'), join(folder, 'out'));
  const run = [...args, '--server', server.url, '--upload', '--register'];
  const { exitCode, stderr } = await runCommand(run, inRealTime);
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
  const names = server.arrived.map((key) => withoutHash(key.replace('content/channel/', '')));
  expect([...new Set(names)].sort()).toEqual([
    'live/00003.ts',
    'live/00004.ts',
    'live/index.m3u8',
    'master.m3u8',
  ]);
  expect(names.indexOf('live/00003.ts')).toBeLessThan(names.indexOf('live/index.m3u8'));
  expect(names.indexOf('live/00004.ts')).toBeLessThan(names.lastIndexOf('live/index.m3u8'));
  expect(names.indexOf('live/index.m3u8')).toBeLessThan(names.indexOf('master.m3u8'));
  for (const key of server.arrived) {
    const sent = readFileSync(join(server.bucket, key));
    expect(sent).toEqual(readFileSync(join(folder, 'out', key.replace('content/channel/', ''))));
    expect(server.cacheControl.get(key)).toBe(
      key.endsWith('.m3u8') ? 'no-cache' : 'public, max-age=31536000, immutable',
    );
  }
});

it('--upload does not send a playlist before the segments that it names, and tries again what the store refused', async () => {
  let refusals = 0;
  const server = await startUploadServer((request, response) => {
    if (request.method !== 'PUT' || !request.url?.includes('/00003.') || refusals > 0) return false;
    refusals++;
    request.resume();
    response.writeHead(400).end();
    return true;
  });
  const { exitCode, stderr } = await encryptLive(server.url, ['--upload', '--register']);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('live.m3u8 is not uploaded')]);
  const names = server.arrived.map((key) => withoutHash(key.replace('content/channel/', '')));
  expect(names.indexOf('00003.ts')).toBeGreaterThanOrEqual(0);
  expect(names.indexOf('00003.ts')).toBeLessThan(names.indexOf('live.m3u8'));
});
