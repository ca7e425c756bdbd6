import { type Answer, outcomeOf } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import {
  createApiKey,
  makeScene,
  oncePropagated,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { openSession, setPlaylist } from '@latchkey/support/playback/open-session';
import { describe, expect, it } from 'vitest';
import { startPlaylistSource } from './playlist-source.ts';

const source = await startPlaylistSource();
const elsewhere = await startPlaylistSource();
const publicUrl = 'https://keys.example/base';
// Its own, because it lists the source of this file.
const server = await startServer({ PUBLIC_URL: publicUrl, PLAYLIST_ORIGINS: source.origin });
const { client } = server;

const textOf = ({ bytes }: Answer) => bytes.toString('utf8');
const segment = '#EXTINF:2,\n';
const head = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n';

/** A content with a playlist, and a session of a viewer. `get` fetches a playlist of the session. */
async function open(playlistUrl: string) {
  const scene = await makeScene(server);
  await setPlaylist(server, scene.contentId, playlistUrl);
  const session = await openSession(server, scene);
  const get = (name = 'index.m3u8', headers?: Record<string, string>) =>
    client.get(`/play/${session.sid}/${name}`, undefined, headers);
  return { ...scene, ...session, get };
}

/** A path that no other test uses. */
const own = (name: string) => `/${unique('film')}/${name}`;

it('a player follows a session from the multivariant playlist to the key of a segment, by URLs alone', async () => {
  const path = own('master.m3u8');
  const media = path.replace('master', 'video/index');
  source.set(path, '#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=1\r\nvideo/index.m3u8?sig=1\r\n');
  const scene = await open(source.origin + path);
  const keyUrl = `${publicUrl}/keys/${scene.contentId}/0`;
  source.set(
    media,
    `${head}#EXT-X-KEY:METHOD=AES-128,URI="${keyUrl}"\r\n${segment}0.ts\r\n#EXT-X-ENDLIST\r\n`,
  );
  expect(scene.url).toBe(`${publicUrl}/play/${scene.sid}/index.m3u8`);
  const index = await scene.get();
  expect([index.status, index.type]).toEqual([200, 'application/vnd.apple.mpegurl']);
  expect(index.headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'access-control-allow-origin': '*',
  });
  expect(index.headers).not.toHaveProperty('access-control-allow-credentials');
  const name = /^([\w-]+\.m3u8)$/m.exec(textOf(index))?.[1];
  const lines = textOf(await scene.get(name)).split('\n');
  expect(lines).toContain(`${source.origin}${media.replace('index.m3u8', '0.ts')}`);
  const uri = /URI="([^"]+)"/.exec(lines.join('\n'))?.[1];
  expect(uri).toBe(`${keyUrl}?s=${scene.sid}`);
  const key = await client.get((uri ?? '').slice(publicUrl.length));
  const byToken = await client.get(`/keys/${scene.contentId}/0`, scene.token);
  expect([key.status, key.bytes]).toEqual([200, byToken.bytes]);
  const head200 = await client.call('HEAD', `/play/${scene.sid}/index.m3u8`);
  expect([head200.status, head200.bytes.length]).toEqual([200, 0]);
  expect(head200.headers['content-length']).toBe(`${index.bytes.length}`);
  // The source received nothing about the viewer.
  const headers = new Set(source.headers.flatMap((received) => Object.keys(received)));
  expect([...headers].sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
});

it('a live playlist is another one at each reload, and many reloads at once cause one request to its source', async () => {
  const path = own('live.m3u8');
  source.set(path, `${head}${segment}0.ts\n`);
  const scene = await open(source.origin + path);
  expect(textOf(await scene.get())).toContain('/0.ts');
  source.set(path, `${head}#EXT-X-MEDIA-SEQUENCE:1\n${segment}1.ts\n`);
  await eventually(async () => expect(textOf(await scene.get())).toContain('/1.ts'));
  const before = source.countOf(path);
  const sinceMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 100 }, () => scene.get()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  // One for each second that passed, and one that was due.
  const atMost = Math.ceil((performance.now() - sinceMs) / 1_000) + 1;
  expect(source.countOf(path) - before).toBeLessThanOrEqual(atMost);
});

it('any page may fetch it, and its preflight needs no listed origin', async () => {
  const scene = await open(source.set(own('a.m3u8'), `${head}${segment}0.ts\n`));
  const headers = {
    origin: 'https://receiver.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'range',
  };
  const preflight = await client.call('OPTIONS', `/play/${scene.sid}/index.m3u8`, { headers });
  expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
  const refused = await client.get('/play/x/index.m3u8', undefined, { origin: headers.origin });
  expect([outcomeOf(refused), refused.headers['access-control-allow-origin']]).toEqual([
    '401 INVALID_SESSION',
    '*',
  ]);
  expect(refused.headers['referrer-policy']).toBe('no-referrer');
});

it('a revoked session gets 403 for its next playlist and its next key', async () => {
  const scene = await open(source.set(own('a.m3u8'), `${head}${segment}0.ts\n`));
  const keyPath = `/keys/${scene.contentId}?s=${scene.sid}`;
  expect([outcomeOf(await scene.get()), outcomeOf(await client.get(keyPath))]).toEqual(['200', '200']);
  await revokeLeases(server, { leaseId: scene.leaseId });
  await oncePropagated(server, async () => {
    const answers = [await scene.get(), await client.get(keyPath)];
    expect(answers.map(outcomeOf)).toEqual(['403 LEASE_REVOKED', '403 LEASE_REVOKED']);
  });
});

it('a session opens no key of another content, although its playlist names one', async () => {
  const other = await makeScene(server);
  const uri = `${publicUrl}/keys/${other.contentId}/0`;
  const scene = await open(
    source.set(own('a.m3u8'), `${head}#EXT-X-KEY:METHOD=AES-128,URI="${uri}"\n${segment}0.ts\n`),
  );
  const written = /URI="([^"]+)"/.exec(textOf(await scene.get()))?.[1] ?? '';
  expect(outcomeOf(await client.get(written.slice(publicUrl.length)))).toBe('403 CONTENT_NOT_ENTITLED');
});

it('a wrong, a cut and a foreign id get 401 INVALID_SESSION, and the answer does not contain them', async () => {
  const playlist = source.set(own('a.m3u8'), `${head}${segment}0.ts\n`);
  const [scene, other] = [await open(playlist), await open(playlist)];
  const half = (sid: string, which: 0 | 1) =>
    Buffer.from(sid, 'base64url').subarray(16 * which, 16 * (which + 1));
  const mixed = Buffer.concat([half(scene.sid, 0), half(other.sid, 1)]).toString('base64url');
  for (const wrong of [scene.sid.slice(1), `${scene.sid}A`, scene.sid.toLowerCase(), mixed, 'x']) {
    const answer = await client.get(`/play/${wrong}/index.m3u8`);
    expect(outcomeOf(answer), wrong).toBe('401 INVALID_SESSION');
    if (wrong.length > 5) expect(textOf(answer)).not.toContain(wrong);
  }
  expect(outcomeOf(await scene.get('unknown.m3u8'))).toBe('404 NOT_FOUND');
});

it('a content that is disabled, and one whose playlist was taken away, is 404', async () => {
  const scene = await open(source.set(own('a.m3u8'), `${head}${segment}0.ts\n`));
  const path = `/api/v1/content/${scene.contentId}`;
  await client.call('DELETE', path, { as: server.adminApiKey });
  await oncePropagated(server, async () =>
    expect(outcomeOf(await scene.get())).toBe('404 CONTENT_NOT_FOUND'),
  );
  await client.call('PATCH', path, {
    as: server.adminApiKey,
    json: { status: 'active', playlistUrl: null },
  });
  await oncePropagated(server, async () => expect(outcomeOf(await scene.get())).toBe('404 NOT_FOUND'));
});

const url = `${source.origin}/film/master.m3u8?token=a%20b`;
const path = '/api/v1/content';
async function setUrl(contentId: string, playlistUrl: string | null, as = server.adminApiKey) {
  const { status, json } = await client.post(path, as, { id: contentId, name: 'x', playlistUrl });
  return status < 300 ? json.content.playlistUrl : `${status} ${json.errors?.[0].message ?? json.detail}`;
}

it('the playlistUrl of a content is shown as it was given, registering again keeps it, and null clears it', async () => {
  const { contentId } = await makeScene(server);
  expect(await setUrl(contentId, url)).toBe(url);
  const { json } = await client.post(path, server.adminApiKey, { id: contentId, name: 'Again' });
  expect(json.content.playlistUrl).toBe(url);
  const list = await client.get(`${path}?ids=${contentId}`, server.adminApiKey);
  expect(list.json.items).toEqual([json.content]);
  expect(await setUrl(contentId, null)).toBeNull();
});

it('a playlistUrl of an origin that is not listed is refused with 400, which names PLAYLIST_ORIGINS', async () => {
  const { contentId } = await makeScene(server);
  expect(await setUrl(contentId, `${elsewhere.origin}/a.m3u8`)).toMatch(/^400 .*PLAYLIST_ORIGINS/);
  for (const wrong of ['file:///etc/passwd', url.replace('http:', 'https:'), url.padEnd(2_049, 'x')])
    expect(await setUrl(contentId, wrong)).toMatch(/^400 /);
});

it('a packager cannot set, change or clear the playlistUrl of a content of others', async () => {
  const { raw } = await createApiKey(server, 'packager');
  const { contentId } = await makeScene(server);
  const refused = /^403 .*not change its playlistUrl/;
  expect(await setUrl(contentId, url, raw)).toMatch(refused);
  await setUrl(contentId, url);
  for (const other of [null, `${url}?b`]) expect(await setUrl(contentId, other, raw)).toMatch(refused);
  expect(await setUrl(contentId, url, raw)).toBe(url);
});

it('a packager may set, change and clear the playlistUrl of its own content', async () => {
  const { raw } = await createApiKey(server, 'packager');
  const own = unique('own');
  for (const value of [url, `${url}?b`, null]) expect(await setUrl(own, value, raw)).toBe(value);
});

describe('a source that cannot be used is 503', () => {
  const variant = (uri: string) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${uri}\n`;
  const refused: Record<string, () => string> = {
    'a redirect to an origin that is not listed': () =>
      source.set(own('a.m3u8'), (_, answer) =>
        answer.writeHead(302, { location: `${elsewhere.origin}/stolen.m3u8` }).end(),
      ),
    'a playlist of an origin that is not listed': () =>
      source.set(own('a.m3u8'), variant(`${elsewhere.origin}/stolen.m3u8`)),
    'a file as a playlist': () => source.set(own('a.m3u8'), variant('file:///etc/passwd')),
    'a data: URL as a playlist': () =>
      source.set(own('a.m3u8'), variant('data:application/vnd.apple.mpegurl,%23EXTM3U')),
    'the metadata of a cloud as a playlist': () =>
      source.set(own('a.m3u8'), variant('http://169.254.169.254/latest/meta-data')),
    '9 MiB': () => source.set(own('a.m3u8'), head + `${segment}${'0'.repeat(90)}.ts\n`.repeat(90_000)),
    'one byte now and then': () =>
      source.set(own('a.m3u8'), (_, answer) => {
        answer.write('#EXTM3U\n');
        const timer = setInterval(() => answer.write('\n'), 1_000);
        answer.on('close', () => clearInterval(timer));
      }),
    'a page of text': () => source.set(own('a.m3u8'), '<html>no such film</html>'),
    'a path that does not exist': () => `${source.origin}${own('a.m3u8')}`,
  };

  it.concurrent.each(Object.keys(refused))('%s is 503 with Retry-After, and names no cause', async (name) => {
    elsewhere.set('/stolen.m3u8', `${head}${segment}0.ts\n`);
    const scene = await open(refused[name]?.() ?? '');
    // Not by `client`, which asks again after a 503 of separate services.
    const answer = await fetch(`${server.url}/play/${scene.sid}/index.m3u8`);
    const problem = (await answer.json()) as { code: string; detail: string };
    expect([answer.status, problem.code, answer.headers.get('retry-after')]).toEqual([
      503,
      'DEPENDENCY_UNAVAILABLE',
      '1',
    ]);
    expect(JSON.stringify(problem)).not.toContain(scene.sid);
    expect(problem.detail).toBe('The playlist is not available at the moment.');
    expect(elsewhere.countOf('/stolen.m3u8')).toBe(0);
  });
});

/** The most that a source may send. */
const sourceBytes = 8 * 1024 * 1024 - 1_024;
const fill = (part: string) => part.repeat(Math.floor(sourceBytes / part.length));

it.each([
  ['blank lines before a line', `${fill('\n')}a`],
  ['fewer blank lines before a line', `${'\n'.repeat(350_000)}a`],
  ['spaces in an attribute', `#EXT-X-KEY:METHOD=A${fill(' ')}"`],
  ['attributes without an end', `#EXT-X-KEY:URI="a",${Array.from({ length: 250_000 }, (_, n) => `A${n}=`)}`],
  ['commas', `#EXT-X-KEY:${fill(',')}`],
  ['quotes', `#EXT-X-KEY:URI=${fill('"')}`],
  ['sessions in a key of this server', `#EXT-X-KEY:URI="${publicUrl}/keys/a?${fill('s&')}"`],
  ['segments of two characters', 'ab\n'.repeat(399_000)],
  ['keys of this server', `#EXT-X-KEY:URI="${publicUrl}/keys/a"\n`.repeat(165_000)],
])(
  'a source that sends 8 MiB of %s is answered with the playlist or 503, and other clients are answered meanwhile',
  async (_what, body) => {
    const scene = await open(source.set(own('a.m3u8'), head + body));
    let isAnswered = false;
    const answer = scene.get().finally(() => {
      isAnswered = true;
    });
    const statuses = new Set<number>();
    do statuses.add((await client.get('/health')).status);
    while (!isAnswered);
    expect([...statuses]).toEqual([200]);
    expect([200, 503]).toContain((await answer).status);
  },
);

it('many sessions get a long playlist at the same time, each with its own id, and the length that was announced', async () => {
  const text = head + `#EXT-X-KEY:METHOD=AES-128,URI="${publicUrl}/keys/a"\n#EXTINF:6,ä\nab\n`.repeat(20_000);
  const scene = await makeScene(server);
  await setPlaylist(server, scene.contentId, source.set('/long.m3u8', text));
  const sids = await Promise.all(
    Array.from({ length: 8 }, async () => (await openSession(server, scene)).sid),
  );
  const answers = await Promise.all(sids.map((sid) => client.get(`/play/${sid}/index.m3u8`)));
  for (const [n, { status, headers, bytes }] of answers.entries()) {
    expect([status, headers['content-length']]).toEqual([200, `${bytes.length}`]);
    const lines = bytes.toString('utf8').split('\n');
    expect(lines.filter((line) => line.endsWith(`/keys/a?s=${sids[n]}"`))).toHaveLength(20_000);
    expect(lines.filter((line) => line === '#EXTINF:6,ä')).toHaveLength(20_000);
  }
});
