import type Hls from 'hls.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlayerError } from './player-error.ts';
import { shakaRequestFilter } from './shaka.ts';
import { FakeHls, type FakeVideo } from './testing/fake-browser.ts';
import { type FakeKeyServer, grant, keyUrl, problem } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';
import { createPlayerScene, load, type PlayerScene, playlist } from './testing/player-scene.ts';

let fake: FakeKeyServer;
let video: FakeVideo;
let errors: PlayerError[];
let open: PlayerScene['open'];
let leave: PlayerScene['leave'];
beforeEach(() => {
  ({ fake, video, errors, open, leave } = createPlayerScene());
});
afterEach(() => vi.unstubAllGlobals());

describe('load', () => {
  it('load takes a lease while the playlist loads, and the first key request has it', async () => {
    const { player, hls } = open();
    const loaded = player.load(playlist, { contentId: 'film' });
    expect(hls.calls).toEqual([`load ${playlist}`]);
    expect(hls.media).toBe(video);
    const key = hls.askForKey(keyUrl(2));
    hls.trigger('MANIFEST_PARSED');
    await loaded;
    expect(await key).toBe(2);
    expect(player.lease?.id).toBe('lease-1');
    expect(fake.requests.map(({ path, leaseId }) => [path, leaseId])).toEqual([
      ['/keys/leases', null],
      ['/keys/film/2', 'lease-1'],
    ]);
    expect(fake.requests[0]?.json).toEqual({
      contentId: 'film',
      deviceId: expect.stringMatching(/^player-\w{16}$/),
    });
  });

  it('with `leases: false` load takes no lease', async () => {
    const { player, hls } = open({ leases: false });
    await load(player);
    await hls.askForKey(keyUrl(2));
    expect(fake.requests).toMatchObject([{ path: '/keys/film/2', leaseId: null }]);
  });

  it('a key of another content, such as an advertisement, is requested without the lease', async () => {
    const { player, hls } = open();
    await load(player);
    await hls.askForKey(keyUrl(0, 'advertisement'));
    expect(fake.to('GET')).toMatchObject([{ path: '/keys/advertisement/0', leaseId: null }]);
  });

  it('a second load releases the lease of the first and resets the figures', async () => {
    const { player, hls } = open({ reportMetrics: true });
    await load(player);
    await hls.askForKey(keyUrl(1));
    expect(player.getMetrics().keyFetchCount).toBe(1);
    await load(player, 'sequel');
    await settle();
    expect(fake.to('POST /keys/leases/revoke')).toMatchObject([{ json: { leaseId: 'lease-1' } }]);
    expect(player.getMetrics().keyFetchCount).toBe(0);
    expect(player.lease?.id).toBe('lease-2');
    expect(errors).toEqual([]);
  });

  it('a second load first releases a lease that is still on its way', async () => {
    const { player } = open();
    const { promise: first, resolve: answer } = Promise.withResolvers<void>();
    const late = fake.answer('POST /keys/leases', () => first.then(() => grant('late', 201)));
    player.load(playlist, { contentId: 'film' }).catch(() => {});
    await settle();
    late.restore();
    const again = load(player);
    await settle();
    expect(fake.to('POST')).toHaveLength(1);
    answer();
    await again;
    expect(fake.to('POST').slice(1)).toMatchObject([
      { path: '/keys/leases/revoke', json: { leaseId: 'late' } },
      { path: '/keys/leases' },
    ]);
    expect(errors).toEqual([]);
  });

  it('a load that another load replaces is ABORTED', async () => {
    const { player } = open();
    const first = player.load(playlist, { contentId: 'film' });
    const overtaken = expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    await load(player, 'sequel');
    await overtaken;
    expect(errors).toEqual([]);
  });
});

describe('a callback that never gives a token', () => {
  const keyServerAuth = () => new Promise<string>(() => {});

  it('a callback without an answer ends playback once nothing could be played for `patienceSeconds`', async () => {
    video.readyState = 0;
    const { player } = open({ keyServerAuth, patienceSeconds: 20 });
    const loaded = player.load(playlist, { contentId: 'film' });
    loaded.catch(() => {});
    await fake.clock.advance(19_000);
    expect(errors).toEqual([]);
    await fake.clock.advance(10_000);
    await expect(loaded).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(errors).toHaveLength(1);
  });

  it('a callback without an answer does not block destroy', async () => {
    const { player } = open({ keyServerAuth });
    player.load(playlist, { contentId: 'film' }).catch(() => {});
    await settle();
    const destroyed = player.destroy();
    await fake.clock.advance(8_000);
    await destroyed;
    expect(fake.requests).toEqual([]);
  });
});

describe('a refused key ends playback', () => {
  it('after a refused key the lease is released at once and not renewed, and no other is taken', async () => {
    const { player, hls } = open();
    await load(player);
    fake.answer('GET', () => problem(403, 'CONTENT_NOT_ENTITLED'));
    hls.askForKey(keyUrl(5));
    await settle();
    expect(player.lease).toBeNull();
    await fake.clock.advance(200_000);
    leave('pageshow', { persisted: true });
    await fake.clock.advance(1);
    await player.destroy();
    expect(fake.to('POST').slice(1)).toMatchObject([
      { path: '/keys/leases/revoke', json: { leaseId: 'lease-1' } },
    ]);
  });
});

describe('the page', () => {
  it('a page that is left releases the lease and reports at once, and takes another lease on its return', async () => {
    const { player } = open({ reportMetrics: true });
    await load(player);
    leave('pagehide');
    expect(fake.to('POST /keys/leases/revoke')).toMatchObject([
      { json: { leaseId: 'lease-1' }, keepalive: true },
    ]);
    expect(fake.to('POST /api/v1/player-metrics')).toMatchObject([
      { json: { ...player.getMetrics(), contentId: 'film' }, keepalive: true },
    ]);
    leave('pageshow', { persisted: true });
    await fake.clock.advance(1);
    expect(player.lease?.id).toBe('lease-2');
    leave('pagehide');
    expect(fake.to('POST /api')).toHaveLength(1);
  });
});

describe('destroy', () => {
  it('destroy releases the lease, reports if set, destroys hls.js and leaves no timer or listener', async () => {
    const { player, hls } = open();
    await load(player);
    await player.destroy();
    await player.destroy();
    expect(fake.to('POST /keys/leases/revoke')).toHaveLength(1);
    expect(fake.to('POST /api')).toEqual([]);
    expect(hls.calls.at(-1)).toBe('destroy');
    leave('pagehide');
    await fake.clock.advance(1_000_000);
    expect(fake.requests).toHaveLength(2);
    await expect(player.load(playlist, { contentId: 'film' })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('the next player of the page', () => {
  const filterKey = (more = {}) =>
    shakaRequestFilter({ ...fake.options, ...more })(6, { uris: [keyUrl(0)], headers: {} });

  it('the next player and the next filter wait for the lease that nobody awaits to be released', async () => {
    const { player } = open();
    await load(player);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    fake.answer('POST /keys/leases/revoke', () =>
      answered.then(() => Response.json({ revoked: 1, leases: [] })),
    );
    // As a framework may: the next one begins first.
    const next = open().player;
    const both = [load(next), filterKey()];
    player.destroy();
    await fake.clock.advance(7_000);
    expect(fake.to('POST').map(({ path }) => path)).toEqual(['/keys/leases', '/keys/leases/revoke']);
    answer();
    await Promise.all(both);
    expect(fake.to('POST /keys/leases')).toHaveLength(4);
  });

  it('the next player waits for a lease that is still on its way to the player before', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const late = fake.answer('POST /keys/leases', () => arrived.then(() => grant('late', 201)));
    const { player } = open();
    player.load(playlist, { contentId: 'film' }).catch(() => {});
    await settle();
    late.restore();
    player.destroy();
    const loaded = load(open().player, 'sequel');
    await settle();
    expect(fake.to('POST')).toHaveLength(1);
    arrive();
    await loaded;
    expect(fake.to('POST').slice(1)).toMatchObject([
      { path: '/keys/leases/revoke', json: { leaseId: 'late' } },
      { path: '/keys/leases', json: { contentId: 'sequel' } },
    ]);
  });

  it('the next player waits 8 s at most, and not for a release at another key server', async () => {
    const { player } = open();
    await load(player);
    fake.answer('POST /keys/leases/revoke', () => new Promise(() => {}));
    player.destroy();
    const loaded = load(open().player);
    fake.answer('POST :444/', () => grant('elsewhere', 201));
    await load(open({ keyServerUrl: `${fake.options.keyServerUrl}:444` }).player);
    expect(fake.to('POST').map(({ path }) => path)).toEqual([
      '/keys/leases',
      '/keys/leases/revoke',
      ':444/keys/leases',
    ]);
    await fake.clock.advance(8_000);
    await loaded;
  });
});

it('a browser that cannot play HLS is UNSUPPORTED', () => {
  class None extends FakeHls {
    static override isSupported() {
      return false;
    }
  }
  video.canPlayType = () => '';
  expect(() => open({ Hls: None as unknown as typeof Hls })).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  );
});

it.each([
  ['patienceSeconds', { patienceSeconds: Number.NaN }],
  ['patienceSeconds', { patienceSeconds: -1 }],
  ['patienceSeconds', { patienceSeconds: '60' as never }],
  ['releaseAfterPausedSeconds', { leases: { releaseAfterPausedSeconds: Number.NaN } }],
  ['keyServerUrl', { keyServerUrl: undefined as never }],
  ['keyServerUrl', { keyServerUrl: '/keys' }],
  ['keyServerUrl', { keyServerUrl: 'localhost:4100' }],
])('a %s that cannot be used is refused by its name before any request: %j', (name, options) => {
  expect(() => open(options)).toThrow(TypeError);
  expect(() => open(options)).toThrow(name);
  expect(() => shakaRequestFilter({ ...fake.options, ...options })).toThrow(name);
  expect(fake.requests).toEqual([]);
});

it.each([null, undefined, {}])('a video that is %j is refused by its name', (none) => {
  expect(() => open({ video: none as never })).toThrow(/^video has to be a <video> element/);
});

it('a listener that throws does not stop the player or other listeners', async () => {
  const { player } = open();
  const uncaught: unknown[] = [];
  vi.stubGlobal('queueMicrotask', (work: () => void) => {
    try {
      work();
    } catch (error) {
      uncaught.push(error);
    }
  });
  const listener = vi.fn();
  player.on('lease', () => {
    throw new Error('mine');
  });
  const off = player.on('lease', listener);
  await load(player);
  expect(listener).toHaveBeenCalledTimes(1);
  expect(uncaught).toHaveLength(1);
  off();
  await player.destroy();
  expect(listener).toHaveBeenCalledTimes(1);
});
