import { formatSid } from '@latchkey/shared/contracts';
import { expect, it } from 'vitest';
import { leaseId, servePlaylists, sid, start } from './playback.fixture.ts';
import { SourceRefusal } from './sources/source-refusal.ts';

const multivariant = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv/1.m3u8?sig=a\n';
const variantUrl = 'https://cdn.example/film/v/1.m3u8?sig=a';
const media = [
  '#EXTM3U',
  '#EXT-X-TARGETDURATION:6',
  '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/v/keys/film/0"',
  '#EXTINF:6,',
  '0.ts',
  '#EXT-X-KEY:METHOD=AES-128,URI="https://other.example/keys/film/1"',
  '#EXTINF:6,',
  '1.ts',
  '',
].join('\n');

const usual = () => ({ [start]: multivariant, [variantUrl]: media }) as Record<string, string | Error>;
const childOf = (text: string) => /^[\w-]{16,}\.m3u8$/m.exec(text)?.[0] ?? 'none';

it('a playlist is a use of its session, which its request line names as the principal, without the id in the URL', async () => {
  const { get, uses, lines, clock } = await servePlaylists(usual());
  const index = await get(`/play/${sid}/index.m3u8`);
  expect((await get(`/play/${sid}/${childOf(index.body)}`)).statusCode).toBe(200);
  expect(uses.map(([, usedAt]) => usedAt)).toEqual([clock.now(), clock.now()]);
  expect(JSON.stringify(lines)).not.toContain(sid);
  expect(lines[0]?.principal).toMatchObject({ kind: 'session' });
});

it.each([
  ['too long', `${sid}A`, 0],
  ['with another spelling of the same bytes', `${sid.slice(0, 42)}d`, 0],
  ['of another secret', formatSid(leaseId, Buffer.alloc(16, 8)), 1],
  ['of no session', formatSid('5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c12', Buffer.alloc(16, 7)), 1],
])(
  'an id %s is 401 INVALID_SESSION: nothing is fetched, and a malformed one is not read',
  async (_, wrong, reads) => {
    const { get, state, fetched, uses } = await servePlaylists(usual());
    const answer = await get(`/play/${wrong}/index.m3u8`);
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'INVALID_SESSION']);
    expect([state.readsOfLeases, fetched, uses]).toEqual([reads, [], []]);
  },
);

it('a revoked session gets 403 LEASE_REVOKED, and so does one that is revoked while its playlist is being fetched', async () => {
  const { get, state, during, forget, clock, uses } = await servePlaylists(usual());
  during.fetch = async () => {
    if (state.lease) state.lease = { ...state.lease, revokedAt: clock.now() };
    forget();
  };
  for (const _ of ['meanwhile', 'before']) {
    const answer = await get(`/play/${sid}/index.m3u8`);
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'LEASE_REVOKED']);
  }
  expect(uses).toEqual([]);
});

it('a session that is over gets 403 LEASE_EXPIRED', async () => {
  const { get, clock, forget, pull } = await servePlaylists(usual());
  clock.advance(600_000);
  // It was read before its grace was over, so it may have been renewed since: it is read again.
  await pull();
  forget();
  const answer = await get(`/play/${sid}/index.m3u8`);
  expect([answer.statusCode, answer.json().code]).toEqual([403, 'LEASE_EXPIRED']);
});

it('a name that the content does not list is 404, and asking for it again and again fetches nothing', async () => {
  const { get, fetched } = await servePlaylists(usual());
  for (let n = 0; n < 20; n++) {
    const answer = await get(`/play/${sid}/unknown-${n}.m3u8`);
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'NOT_FOUND']);
  }
  expect(fetched).toEqual([start]);
});

it('a source that is away is told to the operator once, with its cause, and counted for each request', async () => {
  const { get, operatorLines, metrics } = await servePlaylists({ [start]: new Error('ECONNREFUSED canary') });
  for (let n = 0; n < 5; n++) expect((await get(`/play/${sid}/index.m3u8`)).body).not.toContain('canary');
  expect(operatorLines).toHaveLength(1);
  expect(operatorLines[0]).toContain('ECONNREFUSED canary');
  expect(operatorLines[0]).toContain(start);
  expect(await metrics.registry.metrics()).toContain(
    'latchkey_playlists_total{outcome="DEPENDENCY_UNAVAILABLE"} 5',
  );
});

it('a variant whose signature has ended is fetched by the URL that its source signs now', async () => {
  const texts = usual();
  const { get, clock, fetched } = await servePlaylists(texts);
  const name = childOf((await get(`/play/${sid}/index.m3u8`)).body);
  expect((await get(`/play/${sid}/${name}`)).statusCode).toBe(200);
  clock.advance(4_000);
  texts[variantUrl] = new SourceRefusal(403);
  texts[start] = multivariant.replace('sig=a', 'sig=b');
  texts[variantUrl.replace('sig=a', 'sig=b')] = media;
  expect((await get(`/play/${sid}/${name}`)).statusCode).toBe(200);
  expect(fetched.slice(2)).toEqual([variantUrl, start, variantUrl.replace('sig=a', 'sig=b')]);
  // The next ones know the new list.
  expect((await get(`/play/${sid}/${name}`)).statusCode).toBe(200);
  expect(fetched).toHaveLength(5);
});

it('a variant that its source refuses is 503, and the list of variants is fetched at most once a second for it', async () => {
  const texts = usual();
  const { get, clock, fetched } = await servePlaylists(texts);
  const name = childOf((await get(`/play/${sid}/index.m3u8`)).body);
  texts[variantUrl] = new SourceRefusal(404);
  for (let n = 0; n < 40; n++) {
    expect((await get(`/play/${sid}/${name}`)).statusCode).toBe(503);
    clock.advance(50);
  }
  expect(fetched.length).toBeLessThanOrEqual(8);
});

it('two hundred sessions that wait for the same text get it in many turns of the event loop', async () => {
  const long = `#EXTM3U\n#EXT-X-TARGETDURATION:6\n${'#EXTINF:6,\n0.ts\n'.repeat(10_000)}`;
  const { get, turnsBegun } = await servePlaylists({ [start]: long });
  const first = await get(`/play/${sid}/index.m3u8`);
  expect(first.headers['content-length']).toBe(`${first.body.length}`);
  expect(first.body.split('\n')).toHaveLength(20_003);
  const before = turnsBegun();
  const answers = await Promise.all(Array.from({ length: 200 }, () => get(`/play/${sid}/index.m3u8`)));
  expect(answers.every(({ body }) => body === first.body)).toBe(true);
  // 430 KB for each. Half a MiB may be written in a turn.
  expect(turnsBegun() - before).toBeGreaterThan(100);
});
