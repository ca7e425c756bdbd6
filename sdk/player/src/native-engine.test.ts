import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Player } from './player.ts';
import type { PlayerError } from './player-error.ts';
import type { PlayerOptions } from './player-options.ts';
import type { FakeVideo } from './testing/fake-browser.ts';
import {
  type FakeKeyServer,
  playUrl,
  problem,
  sessionGrant,
  unreachable,
} from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';
import { createPlayerScene, type PlayerScene, playlist } from './testing/player-scene.ts';

/** Where the fake server has the playlists of sessions. */
const playPath = 'GET /play/';

let scene: PlayerScene;
let fake: FakeKeyServer;
let video: FakeVideo;
let player: Player;
let errors: PlayerError[];
beforeEach(() => {
  scene = createPlayerScene();
  ({ fake, video, errors } = scene);
  open();
});
afterEach(() => vi.unstubAllGlobals());
function open(more: Partial<PlayerOptions> = {}) {
  ({ player } = scene.open({ native: 'always', ...more }));
}
const load = (contentId = 'film') => player.load(playlist, { contentId });
async function fail(code: number, message = 'no') {
  video.error = { code, message };
  video.emit('error');
  await settle();
}

it('a native player plays the URL of a playback session, and takes no other lease', async () => {
  await load();
  expect(player.hls).toBeNull();
  expect(video.src).toBe(playUrl('session-1'));
  expect(player.lease?.id).toBe('session-1');
  expect(fake.requests.map(({ method, path, json }) => [method, path, json])).toEqual([
    ['POST', '/keys/sessions', { contentId: 'film', deviceId: expect.stringMatching(/^player-\w{16}$/) }],
  ]);
});

it('no event of a native player carries the URL of the session, which is a secret', async () => {
  const seen: unknown[] = [];
  for (const name of ['lease', 'key', 'retrying', 'remote'] as const)
    player.on(name, (data) => seen.push(data));
  await load();
  await fake.clock.advance(80_000);
  expect(seen.length).toBeGreaterThan(1);
  expect(JSON.stringify(seen)).not.toContain('secret-of');
});

it('a native player renews its session while the page is open, and releases it on destroy', async () => {
  await load();
  await fake.clock.advance(75_000);
  expect(fake.to('POST /keys/leases/renew')).toMatchObject([{ json: { leaseId: 'session-1' } }]);
  await player.destroy();
  expect(fake.to('POST /keys/leases/revoke')).toMatchObject([{ json: { leaseId: 'session-1' } }]);
});

it('a native player makes a session with the wished life, also with `leases: false`', async () => {
  open({ leases: { ttlSeconds: 900, deviceId: 'hall' } });
  await load();
  open({ leases: false });
  await load();
  expect(fake.to('POST /keys/sessions').map(({ json }) => json)).toEqual([
    { contentId: 'film', deviceId: 'hall', ttlSeconds: 900 },
    { contentId: 'film', deviceId: expect.any(String) },
  ]);
});

it('a native load without a contentId is UNSUPPORTED, and the message asks for one', async () => {
  await expect(player.load(playlist)).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringContaining('contentId'),
  });
  expect(errors).toHaveLength(1);
});

it.each([
  [409, 'SESSION_UNAVAILABLE', 'SESSION_UNAVAILABLE'],
  [409, 'LEASE_LIMIT_REACHED', 'LEASE_LIMIT_REACHED'],
  [404, 'CONTENT_NOT_FOUND', 'CONTENT_NOT_FOUND'],
  [403, 'TOKEN_REVOKED', 'TOKEN_REVOKED'],
  // The server has no leases.
  [404, 'NOT_FOUND', 'SESSION_UNAVAILABLE'],
])(
  'a session that is refused by %i %s ends a native load with %s, after one request',
  async (status, answer, code) => {
    fake.answer('POST /keys/sessions', () => problem(status, answer));
    await expect(load()).rejects.toMatchObject({ code });
    expect(errors).toHaveLength(1);
    expect(fake.requests).toHaveLength(1);
  },
);

it('a native playback without a token ends once nothing could be played for `patienceSeconds`', async () => {
  open({ patienceSeconds: 20, keyServerAuth: () => new Promise<string>(() => {}) });
  video.readyState = 0;
  const loaded = load();
  loaded.catch(() => {});
  await fake.clock.advance(19_000);
  expect(errors).toEqual([]);
  await fake.clock.advance(10_000);
  await expect(loaded).rejects.toMatchObject({ code: 'AUTH_FAILED' });
  expect(errors).toHaveLength(1);
});

it('a load that another one replaces shows nothing, and its session is released', async () => {
  const { promise: late, resolve: arrive } = Promise.withResolvers<void>();
  const slow = fake.answer('POST /keys/sessions', async () => {
    await late;
    return sessionGrant('session-1');
  });
  const first = load();
  first.catch(() => {});
  await settle();
  slow.restore();
  fake.answer('POST /keys/sessions', () => sessionGrant('session-9'));
  const second = load('sequel');
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
  arrive();
  await second;
  await settle();
  expect([errors, video.src]).toEqual([[], playUrl('session-9')]);
  expect(fake.to('POST /keys/leases/revoke')).toMatchObject([{ json: { leaseId: 'session-1' } }]);
});

it('a native video that fails after a while is shown again at the same place, after the server was asked without a token', async () => {
  await load();
  await fake.clock.advance(40_000);
  video.currentTime = 38;
  video.src = '';
  await fail(2);
  expect(fake.to(playPath)).toMatchObject([{ token: null }]);
  expect(video.src).toBe(playUrl('session-1'));
  video.currentTime = 0;
  video.emit('loadedmetadata');
  expect(video.currentTime).toBe(38);
  expect(errors).toEqual([]);
});

it('a live stream goes on at its end, not at the old place, when it is shown again', async () => {
  await load();
  await fake.clock.advance(40_000);
  video.duration = Number.POSITIVE_INFINITY;
  video.currentTime = 38;
  await fail(2);
  video.currentTime = 0;
  video.emit('loadedmetadata');
  expect(video.currentTime).toBe(0);
  expect(fake.to(playPath)).toHaveLength(1);
});

it.each(['LEASE_EXPIRED', 'INVALID_SESSION'])(
  'a native video whose session is over (%s) goes on at the same place with a new one',
  async (code) => {
    await load();
    await fake.clock.advance(40_000);
    video.currentTime = 38;
    fake.answer(playPath, () => problem(code === 'INVALID_SESSION' ? 401 : 403, code));
    fake.answer('POST /keys/leases/renew', () => problem(403, 'LEASE_EXPIRED'));
    await fail(2);
    expect(video.src).toBe(playUrl('session-2'));
    video.currentTime = 0;
    video.emit('loadedmetadata');
    expect([video.currentTime, errors]).toEqual([38, []]);
  },
);

it('sessions that are over at once end playback, and do not make one after another', async () => {
  await load();
  fake.answer(playPath, () => problem(403, 'LEASE_EXPIRED'));
  await fail(2);
  await fail(2);
  expect(errors).toMatchObject([{ code: 'LEASE_EXPIRED' }]);
  expect(fake.to('POST /keys/sessions')).toHaveLength(1);
});

it('a native failure has the key server’s reason if the playlist is refused', async () => {
  await load();
  fake.answer(playPath, () => problem(403, 'LEASE_REVOKED'));
  await fail(4);
  expect(errors).toMatchObject([{ code: 'LEASE_REVOKED', status: 403 }]);
});

it('a native failure while the server is away waits for the server, and plays on', async () => {
  await load();
  await fake.clock.advance(40_000);
  const away = fake.answer(playPath, () => problem(503, 'DEPENDENCY_UNAVAILABLE'));
  await fail(2);
  await fake.clock.advance(10_000);
  expect(errors).toEqual([]);
  away.restore();
  video.src = '';
  await fake.clock.advance(10_000);
  expect([errors, video.src]).toEqual([[], playUrl('session-1')]);
});

it('a native video that has failed waits for a lost server no longer than `patienceSeconds`, whatever it had in its buffer', async () => {
  open({ patienceSeconds: 20 });
  await load();
  fake.answer('', unreachable);
  await fail(2);
  await fake.clock.advance(19_000);
  expect(errors).toEqual([]);
  await fake.clock.advance(10_000);
  expect(errors).toMatchObject([{ code: 'NETWORK' }]);
});

it('a page that returns plays a new session at the same place', async () => {
  await load();
  video.currentTime = 40;
  scene.leave('pagehide');
  expect(fake.to('POST /keys/leases/revoke')).toMatchObject([
    { json: { leaseId: 'session-1' }, keepalive: true },
  ]);
  scene.leave('pageshow', { persisted: true });
  await fake.clock.advance(1);
  expect(video.src).toBe(playUrl('session-2'));
  video.currentTime = 0;
  video.emit('loadedmetadata');
  expect(video.currentTime).toBe(40);
});

it('a native failure soon after another one is an error of the media', async () => {
  await load();
  await fail(3, 'broken');
  expect(errors).toMatchObject([{ code: 'MEDIA_DECODE' }]);
});

it('a native video that is paused for long releases its session, and plays a new one at the same place', async () => {
  await load();
  video.currentTime = 300;
  video.paused = true;
  video.emit('pause');
  await fake.clock.advance(120_000);
  expect(fake.to('POST /keys/leases/revoke')).toMatchObject([{ json: { leaseId: 'session-1' } }]);
  // The browser may read a live playlist while it is paused.
  await fail(2);
  expect(errors).toEqual([]);
  await video.play();
  await settle();
  expect(video.src).toBe(playUrl('session-2'));
  video.currentTime = 0;
  video.paused = true;
  video.emit('loadedmetadata');
  expect([video.currentTime, video.paused]).toEqual([300, false]);
});

it('a native load after an error goes on where playback was', async () => {
  await load();
  video.currentTime = 90;
  const refusing = fake.answer('POST /keys/leases/renew', () => problem(403, 'LEASE_REVOKED'));
  await fake.clock.advance(75_000);
  expect(errors).toMatchObject([{ code: 'LEASE_REVOKED' }]);
  refusing.restore();
  for (const [content, seconds] of [
    ['film', 90],
    ['sequel', 0],
  ] as const) {
    await load(content);
    video.currentTime = 0;
    video.emit('loadedmetadata');
    expect([content, video.currentTime]).toEqual([content, seconds]);
  }
});
