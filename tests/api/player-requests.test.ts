import { randomUUID } from 'node:crypto';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import {
  makeScene,
  oncePropagated,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { openShared, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { openSession, setPlaylist } from '@latchkey/support/playback/open-session';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { startPlaylistSource } from './playlist-source.ts';

// Requests in the form in which players of phones and televisions send them: docs/start/players.md. None of these players runs here.

type Headers = Readonly<Record<string, string>>;

/** `DefaultHttpDataSource` of Media3 for a key: it may be compressed, and no range is asked for. */
const media3: Headers = {
  'user-agent': 'Player/1.0 (Linux;Android 15) AndroidXMedia3/1.8.0',
  'accept-encoding': 'gzip',
  connection: 'Keep-Alive',
};
/** URLSession, by which an application answers a resource loader. */
const urlSession: Headers = {
  'user-agent': 'Player/1 CFNetwork/3826.500.131 Darwin/24.5.0',
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en-GB,en;q=0.9',
  priority: 'u=3, i',
};
/** The system's own media process, to which an application can add cookies alone. */
const appleCoreMedia: Headers = {
  'user-agent': 'AppleCoreMedia/1.0.0.22F76 (iPhone; U; CPU OS 18_5 like Mac OS X; en_gb)',
  accept: '*/*',
  'accept-encoding': 'identity',
  'accept-language': 'en-GB,en;q=0.9',
  'x-playback-session-id': randomUUID().toUpperCase(),
};
const roku: Headers = { 'user-agent': 'Roku/DVP-14.5 (14.5.4.5934-84)', accept: '*/*', te: 'trailers' };
const television = (product: string): Headers => ({
  'user-agent': `Mozilla/5.0 (${product}) AppleWebKit/537.36 (KHTML, like Gecko) TV Safari/537.36`,
  accept: '*/*',
  'accept-encoding': 'identity;q=1, *;q=0',
  range: 'bytes=0-',
});
const players: Readonly<Record<string, Headers>> = {
  'Media3 on Android': media3,
  'a resource loader on iOS': urlSession,
  'AVPlayer on iOS': appleCoreMedia,
  Roku: roku,
  webOS: television('Web0S; Linux/SmartTV'),
  Tizen: television('SMART-TV; LINUX; Tizen 8.0'),
};

const source = await startPlaylistSource();
const publicUrl = 'https://keys.example';
const [server, sessions] = await Promise.all([
  openShared('every-token-place'),
  // Its own, because it lists the source of this file.
  startServer({ PUBLIC_URL: publicUrl, PLAYLIST_ORIGINS: source.origin }),
]);
const { client } = server;

const keyOf = (scene: Scene, headers: Headers, query = '') => {
  client.credentials.add(scene.token);
  return client.call('GET', `/keys/${scene.contentId}${query}`, { headers });
};
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

it.each(Object.entries(players))(
  'a key goes to %s by header, by cookie and by query: 16 bytes, never compressed, never a part of them',
  async (_, headers) => {
    const scene = await makeScene(server);
    const answers = [
      await keyOf(scene, { ...headers, ...bearer(scene.token) }),
      await keyOf(scene, { ...headers, cookie: `theme=dark; latchkey_token=${scene.token}; id=1` }),
      await keyOf(scene, headers, `?access_token=${scene.token}`),
    ];
    const [first] = answers;
    for (const { status, type, bytes, headers: received } of answers) {
      expect([status, type, bytes.length]).toEqual([200, 'application/octet-stream', 16]);
      expect(bytes).toEqual(first?.bytes);
      expect(received).toMatchObject({ 'content-length': '16', 'cache-control': 'no-store' });
      expect(received).not.toHaveProperty('content-encoding');
    }
  },
);

it.each(['bytes=0-1', 'bytes=0-15', 'bytes=8-', 'bytes=16-', 'bytes=-4', 'bytes=0-1,4-5', 'items=0-1'])(
  'a key is whole whatever Range a player sends: %s',
  async (range) => {
    const scene = await makeScene(server);
    const { status, bytes, headers } = await keyOf(scene, {
      ...bearer(scene.token),
      ...appleCoreMedia,
      range,
    });
    expect([status, bytes.length, headers['content-range']]).toEqual([200, 16, undefined]);
  },
);

it('a key is sent again to a player that asks whether it has changed', async () => {
  const scene = await makeScene(server);
  const conditions = { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() };
  const { status, bytes } = await keyOf(scene, { ...bearer(scene.token), ...urlSession, ...conditions });
  expect([status, bytes.length]).toEqual([200, 16]);
});

it('Media3 asks four times for a refused key, gets the same refusal, and the key with its next token', async () => {
  const scene = await makeScene(server);
  const other = viewerToken(server.jwtSecret, scene.viewerId, { content_ids: [unique('other')] });
  client.credentials.add(other);
  for (let attempt = 0; attempt < 4; attempt++)
    expect(outcomeOf(await keyOf(scene, { ...media3, ...bearer(other) }))).toBe('403 CONTENT_NOT_ENTITLED');
  expect((await keyOf(scene, { ...media3, ...bearer(scene.token) })).status).toBe(200);
});

it.each(['AVPlayer on iOS', 'Roku', 'webOS', 'Tizen'])(
  '%s follows a session to the key, and is refused both once the session is revoked',
  async (name) => {
    const { client: viewer } = sessions;
    const headers = players[name] ?? {};
    const scene = await makeScene(sessions);
    const path = `/${scene.contentId}/index.m3u8`;
    const key = `#EXT-X-KEY:METHOD=AES-128,URI="${publicUrl}/keys/${scene.contentId}"`;
    source.set(path, `#EXTM3U\n#EXT-X-TARGETDURATION:2\n${key}\n#EXTINF:2,\n0.ts\n#EXT-X-ENDLIST\n`);
    await setPlaylist(sessions, scene.contentId, source.origin + path);
    const { url, leaseId } = await openSession(sessions, scene);
    const get = (target: string) =>
      viewer.call('GET', target.slice(publicUrl.length), { headers: { ...headers } });

    const playlist = await get(url);
    expect([playlist.status, playlist.type]).toEqual([200, 'application/vnd.apple.mpegurl']);
    const text = playlist.bytes.toString();
    expect(text).toContain(`${source.origin}/${scene.contentId}/0.ts`);
    const keyUrl = /URI="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(await get(keyUrl)).toMatchObject({ status: 200, bytes: expect.objectContaining({ length: 16 }) });

    await revokeLeases(sessions, { leaseId });
    await oncePropagated(sessions, async () => {
      const refusals = [outcomeOf(await get(url)), outcomeOf(await get(keyUrl))];
      expect(refusals).toEqual(['403 LEASE_REVOKED', '403 LEASE_REVOKED']);
    });
  },
);
