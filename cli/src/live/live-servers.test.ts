import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  followServer,
  type LiveServer,
  mostAskedAtOnce,
  numberIn,
  redirect,
  refuse,
  segmentSeconds,
  startLiveServer,
  texts,
  windowOf,
} from '../testing/live-server.ts';

const variant = (uri: string, attributes = 'BANDWIDTH=900000') => `#EXT-X-STREAM-INF:${attributes}\n${uri}\n`;

/**
 * As MediaMTX: a redirect looks for cookies, and a session is in each URL. All sessions end with the publisher.
 *
 * @param awayStatus of every answer while the source is away. Default: the statuses of MediaMTX
 */
async function startSessions(awayStatus?: number) {
  const state = { sessions: new Set<string>(), count: 0, isAway: false, mark: 's', firstNumber: 0 };
  const server: LiveServer = await startLiveServer((url, response, { headers }) => {
    const last = server.written() - state.firstNumber;
    if (state.isAway) return refuse(response, awayStatus ?? (url.pathname === '/cam/index.m3u8' ? 404 : 401));
    if (url.pathname === '/cam/index.m3u8') {
      if (!headers.cookie?.includes('cookieCheck=1'))
        return redirect(response, '/cam/index.m3u8?cookieCheck=1', ['cookieCheck=1; Secure; SameSite=None']);
      const session = `u${++state.count}`;
      state.sessions.add(session);
      return void response.end(`#EXTM3U\n${variant(`video_stream.m3u8?session=${session}`)}`);
    }
    const session = url.searchParams.get('session') ?? '';
    if (!state.sessions.has(session)) return refuse(response, 401);
    if (url.pathname.endsWith('.ts')) return void response.end(`${state.mark}${numberIn(url)}`);
    response.end(windowOf(last, (number) => `seg${number}.ts?session=${session}`));
  });
  return { server, state };
}

it('a session that ends is replaced by a new one: no segment is lost or taken twice, and no discontinuity is made', async () => {
  const { server, state } = await startSessions();
  const channel = await followServer(server, '/cam/index.m3u8');
  await channel.pass(21);
  state.sessions.clear();
  await channel.pass(20);
  expect(channel.played()).toEqual(texts(0, 21));
  expect(channel.breaks()).toBe(0);
  expect(channel.warnings).toEqual([expect.stringContaining('its playlist was looked up anew')]);
});

it.each([
  ['is away', undefined],
  ['is away behind a proxy that answers 502', 502],
])(
  'before and while a source %s, no address is asked more than once a target duration, and afterwards it goes on by itself',
  async (_, awayStatus) => {
    const { server, state } = await startSessions(awayStatus);
    const channel = await followServer(server, '/cam/index.m3u8');
    await channel.pass(21);
    state.isAway = true;
    await channel.pass(60);
    expect(mostAskedAtOnce(server.asked, 0, 81)).toBe(1);
    Object.assign(state, { isAway: false, mark: 'n', firstNumber: 39 });
    state.sessions.clear();
    await channel.pass(20);
    // The publisher came back with numbers from 0 on, and other pictures.
    expect(channel.played()).toEqual([...texts(0, 11), ...texts(0, 12, 'n')]);
    expect(channel.breaks()).toBe(1);
  },
);

it('a segment that was read to learn that the packager has started again is not read a second time', async () => {
  const { server, state } = await startSessions();
  const channel = await followServer(server, '/cam/index.m3u8');
  await channel.pass(5);
  // Its number 0 is still in the window.
  Object.assign(state, { mark: 'n', firstNumber: 2 });
  state.sessions.clear();
  await channel.pass(6);
  expect(channel.played()).toEqual([...texts(0, 3), ...texts(0, 4, 'n')]);
  expect(channel.breaks()).toBe(1);
  const segments = server.asked.filter(({ address }) => address.includes('.ts'));
  expect(mostAskedAtOnce(segments, 0, 11)).toBe(1);
});

it('the same command again, with a session of its own, goes on without a discontinuity', async () => {
  const { server } = await startSessions();
  const first = await followServer(server, '/cam/index.m3u8');
  await first.pass(13);
  await first.stop();
  const again = await followServer(server, '/cam/index.m3u8', { out: first.out });
  await again.pass(8);
  expect(again.names).toEqual(first.names);
  expect([...new Set([...first.played(), ...again.played()])]).toEqual(texts(0, 11));
  expect(again.breaks()).toBe(0);
});

/** As Wowza: each answer of the list names other chunklists, which end with their session. */
async function startChunklists() {
  const state = { session: 100, known: new Set<number>() };
  const server: LiveServer = await startLiveServer((url, response) => {
    if (url.pathname === '/app/playlist.m3u8') {
      state.known.add(++state.session);
      const list = (bandwidth: number, size: string) =>
        variant(
          `chunklist_w${state.session}_b${bandwidth}.m3u8`,
          `BANDWIDTH=${bandwidth},CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=${size}`,
        );
      // The order of the list is not the same each time either.
      const lists = [list(2_000_000, '1280x720'), list(800_000, '640x360')];
      return void response.end(`#EXTM3U\n${(state.session % 2 ? lists : lists.reverse()).join('')}`);
    }
    const [, session, bandwidth] = /_w(\d+)_b(\d+)/.exec(url.pathname) ?? [];
    if (url.pathname.endsWith('.ts')) return void response.end(`${bandwidth}-${numberIn(url)}`);
    if (!state.known.has(Number(session))) return refuse(response, 404);
    response.end(windowOf(server.written(), (number) => `media_w${session}_b${bandwidth}_${number}.ts`));
  });
  return { server, state };
}

it('renditions are the same after their chunklists have other names, in the running command and in the next one', async () => {
  const { server, state } = await startChunklists();
  const first = await followServer(server, '/app/playlist.m3u8');
  await first.pass(13);
  state.known.clear();
  await first.pass(12);
  expect(first.breaks()).toBe(0);
  const lookups = server.asked.filter(({ address }) => address === '/app/playlist.m3u8');
  // At the start, and once for both renditions.
  expect(lookups).toHaveLength(2);
  await first.stop();
  state.known.clear();
  const again = await followServer(server, '/app/playlist.m3u8', { out: first.out });
  await again.pass(8);
  expect([...again.names].sort()).toEqual([...first.names].sort());
  for (const name of first.names) {
    const bandwidth = name.includes('b2000000') ? '2000000' : '800000';
    const played = [...new Set([...first.played(name), ...again.played(name)])];
    expect(played).toEqual(texts(0, 17).map((text) => `${bandwidth}-${text.slice(1)}`));
  }
  expect(again.breaks()).toBe(0);
  const folders = readdirSync(first.out, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders).toHaveLength(2);
  const root = readFileSync(join(first.out, 'playlist.m3u8'), 'utf8');
  for (const name of first.names) {
    const size = name.includes('b2000000') ? '1280x720' : '640x360';
    expect(root).toMatch(new RegExp(`RESOLUTION=${size}\n${name}/index.m3u8`));
  }
});

it.each([
  ['query', (token: number, number: number) => `s${number}.ts?hdnts=exp=${token}~hmac=${token}`],
  ['path', (token: number, number: number) => `hdnts=${token}/s${number}.ts`],
])(
  'tokens in the %s that change with each look make no discontinuity, and each segment is read about once',
  async (_, uriOf) => {
    let look = 0;
    const server: LiveServer = await startLiveServer((url, response) => {
      if (url.pathname.endsWith('.ts')) return void response.end(`s${numberIn(url)}`);
      const token = ++look;
      response.end(windowOf(server.written(), (number) => uriOf(token, number)));
    });
    const channel = await followServer(server, '/live/i.m3u8?token=1');
    await channel.pass(31);
    expect(channel.played()).toEqual(texts(0, 16));
    expect(channel.breaks()).toBe(0);
    // One more shows that another path is the same segment.
    expect(server.asked.filter(({ address }) => address.includes('.ts')).length).toBeLessThanOrEqual(17);
  },
);

it('a playlist that stands still for three target durations is looked up anew, and its segments go on', async () => {
  const state = { edge: 'a', stoppedAt: Number.POSITIVE_INFINITY };
  const server: LiveServer = await startLiveServer((url, response) => {
    if (url.pathname === '/live.m3u8')
      return void response.end(`#EXTM3U\n${variant(`/${state.edge}/v.m3u8`)}`);
    if (url.pathname.endsWith('.ts')) return void response.end(`s${numberIn(url)}`);
    const written = url.pathname.startsWith('/a/')
      ? Math.min(server.written(), state.stoppedAt)
      : server.written();
    response.end(windowOf(written, (number) => `${number}.ts`));
  });
  const channel = await followServer(server, '/live.m3u8');
  await channel.pass(11);
  Object.assign(state, { edge: 'b', stoppedAt: 5 });
  await channel.pass(20);
  expect(channel.breaks()).toBe(0);
  expect(channel.played()).toEqual(texts(0, 16));
  const lookups = server.asked.filter(({ address }) => address === '/live.m3u8');
  expect(lookups).toHaveLength(2);
  // It last changed in second 10.
  expect(lookups[1]?.second).toBeGreaterThanOrEqual(10 + 3 * segmentSeconds);
  expect(lookups[1]?.second).toBeLessThan(10 + 4 * segmentSeconds);
});

it('each start of a packager from 0 with other bytes makes one discontinuity, and every segment has the bytes of its source', async () => {
  const state = { mark: 'a', firstNumber: 0 };
  // As SRS: list and media playlist have one path.
  const server: LiveServer = await startLiveServer((url, response) => {
    if (url.search === '') return void response.end(`#EXTM3U\n${variant(`${url.pathname}?hls_ctx=c7`)}`);
    if (url.pathname.endsWith('.ts')) return void response.end(`${state.mark}${numberIn(url)}`);
    response.end(windowOf(server.written() - state.firstNumber, (number) => `${number}.ts?hls_ctx=c7`));
  });
  const channel = await followServer(server, '/live/i.m3u8');
  await channel.pass(9);
  Object.assign(state, { mark: 'b', firstNumber: server.written() });
  await channel.pass(10);
  Object.assign(state, { mark: 'c', firstNumber: server.written() });
  await channel.pass(6);
  expect(channel.played()).toEqual([...texts(0, 5, 'a'), ...texts(0, 6, 'b'), ...texts(0, 4, 'c')]);
  expect(channel.breaks()).toBe(2);
});

it('a CDN whose signed playlists end with 403 is followed from the address that redirects to them', async () => {
  const signedFor = 5 * segmentSeconds;
  const server: LiveServer = await startLiveServer((url, response) => {
    const now = server.clock.monotonic() / 1_000;
    if (url.pathname === '/watch.m3u8') return redirect(response, `/cdn/v.m3u8?exp=${now + signedFor}`);
    const exp = url.searchParams.get('exp');
    if (Number(exp) < now) return refuse(response, 403);
    if (url.pathname.endsWith('.ts')) return void response.end(`s${numberIn(url)}`);
    response.end(windowOf(server.written(), (number) => `s${number}.ts?exp=${exp}`));
  });
  const channel = await followServer(server, '/watch.m3u8');
  await channel.pass(41);
  expect(channel.played()).toEqual(texts(0, 21));
  expect(channel.breaks()).toBe(0);
  const lookups = server.asked.filter(({ address }) => address === '/watch.m3u8');
  // At the start twice: to learn whether it is a media playlist, and to follow it.
  expect(lookups.length).toBeLessThanOrEqual(2 + 40 / signedFor);
});

it('neither a file in the output nor a message has the value of a query, and lines of the source are whole again after a start', async () => {
  const asset =
    '#EXT-X-DATERANGE:ID="ad",START-DATE="2026-01-01T00:00:00Z",X-ASSET-URI="https://u:canary@ads/a?t=canary"';
  const server: LiveServer = await startLiveServer((url, response) => {
    if (url.pathname === '/i.m3u8') return void response.end(`#EXTM3U\n${variant('v.m3u8?token=canary')}`);
    if (url.pathname.endsWith('.ts')) return void response.end(`s${numberIn(url)}`);
    const text = windowOf(server.written(), (number) => `${number}.ts?token=canary`);
    response.end(text.replaceAll('#EXTINF', `${asset}\n#EXT-X-PART-INF:PART-TARGET=0.5\n#EXTINF`));
  });
  const channel = await followServer(server, '/i.m3u8?token=canary');
  await channel.pass(3);
  await channel.stop();
  const again = await followServer(server, '/i.m3u8?token=canary', { out: channel.out });
  await again.pass(2);
  const files = readdirSync(channel.out, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  for (const { parentPath, name } of files) {
    const text = readFileSync(join(parentPath, name), 'utf8');
    if (name === 'index.m3u8') expect(text.match(/t=canary/g)).toHaveLength(3);
    else expect(text).not.toContain('canary');
  }
  expect([...channel.warnings, ...again.warnings].join('\n')).not.toContain('canary');
  expect(channel.warnings).toHaveLength(2);
});
