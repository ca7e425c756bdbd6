import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RemoteChange } from './emitter.ts';
import type { Player } from './player.ts';
import { type FakeKeyServer, playUrl, problem, unreachable } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';
import { createPlayerScene, load, type PlayerScene } from './testing/player-scene.ts';
// The player loads it when it is needed. A test does not wait for the file.
import './remote.ts';

let fake: FakeKeyServer;
let scene: PlayerScene;
let player: Player;
let changes: RemoteChange[];
beforeEach(async () => {
  scene = createPlayerScene();
  ({ fake } = scene);
  open();
  await load(player);
});
afterEach(() => vi.unstubAllGlobals());

function open(leases?: { deviceId: string; ttlSeconds: number }) {
  ({ player } = scene.open(leases && { leases }));
  changes = [];
  player.on('remote', (change) => changes.push(change));
}
const madeSessions = () => fake.to('POST /keys/sessions');
const released = () => fake.to('POST /keys/leases/revoke').map(({ json }) => json?.leaseId);

describe('remoteSource', () => {
  it('remoteSource returns the URL of a session in addition to the lease of the page, and the type that Cast needs', async () => {
    expect(await player.remoteSource()).toEqual({
      url: playUrl('session-1'),
      contentType: 'application/vnd.apple.mpegurl',
    });
    expect(player.lease?.id).toBe('lease-1');
    const { deviceId } = fake.to('POST /keys/leases')[0]?.json ?? {};
    expect(madeSessions().map(({ json }) => json)).toEqual([
      { contentId: 'film', deviceId: `${deviceId}-remote` },
    ]);
  });

  it('remoteSource names the device and the life that the application gives, within what the server accepts', async () => {
    open({ deviceId: 'd'.repeat(200), ttlSeconds: 600 });
    await load(player);
    await player.remoteSource();
    expect(madeSessions().at(-1)?.json).toEqual({
      contentId: 'film',
      deviceId: `${'d'.repeat(193)}-remote`,
      ttlSeconds: 600,
    });
  });

  it('remoteSource gives the same session while it lives, also to calls at the same time', async () => {
    const urls = await Promise.all([player.remoteSource(), player.remoteSource()]);
    expect(new Set(urls.map(({ url }) => url)).size).toBe(1);
    expect(await player.remoteSource()).toEqual(urls[0]);
    expect(madeSessions()).toHaveLength(1);
  });

  it('remoteSource gives the same session while the server does not answer', async () => {
    const { url } = await player.remoteSource();
    fake.answer('POST', unreachable);
    const again = player.remoteSource();
    await fake.clock.advance(5_000);
    expect((await again).url).toBe(url);
  });

  it.each(['LEASE_REVOKED', 'LEASE_EXPIRED'])('remoteSource makes a new session after %s', async (code) => {
    await player.remoteSource();
    fake.answer('POST /keys/leases/renew', () => problem(403, code));
    expect((await player.remoteSource()).url).toBe(playUrl('session-2'));
  });

  it('remoteSource makes a session of the content that is loaded now', async () => {
    await player.remoteSource();
    await load(player, 'sequel');
    await player.remoteSource();
    await settle();
    expect(madeSessions().map(({ json }) => json?.contentId)).toEqual(['film', 'sequel']);
    expect(released()).toEqual(['lease-1', 'session-1']);
  });

  it.each([
    ['LEASE_LIMIT_REACHED', { leases: [{ id: 'a', deviceId: 'tv' }] }],
    ['SESSION_UNAVAILABLE', {}],
  ])('remoteSource fails with %s, and the page plays on', async (code, members) => {
    fake.answer('POST /keys/sessions', () => problem(409, code, members));
    await expect(player.remoteSource()).rejects.toMatchObject({ code, leases: [], ...members });
    expect([scene.errors, changes]).toEqual([[], []]);
    expect(player.lease?.id).toBe('lease-1');
  });

  it('remoteSource waits no longer than `patienceSeconds` for a lost server', async () => {
    fake.answer('POST /keys/sessions', unreachable);
    const asked = player.remoteSource();
    asked.catch(() => {});
    await fake.clock.advance(80_000);
    await expect(asked).rejects.toMatchObject({ code: 'NETWORK' });
    expect(scene.errors).toEqual([]);
  });

  it('remoteSource of a player without content, or after destroy, is ABORTED', async () => {
    const { player: empty } = scene.open();
    await expect(empty.remoteSource()).rejects.toMatchObject({ code: 'ABORTED' });
    await player.destroy();
    await expect(player.remoteSource()).rejects.toMatchObject({ code: 'ABORTED' });
    expect(madeSessions()).toEqual([]);
  });
});

describe('the end of a session', () => {
  it('the page renews the session, and says when it was revoked', async () => {
    await player.remoteSource();
    await fake.clock.advance(75_000);
    const renewed = () => fake.to('POST /keys/leases/renew').map(({ json }) => json?.leaseId);
    expect(renewed()).toContain('session-1');
    fake.answer('POST /keys/leases/renew', ({ json }) =>
      json?.leaseId === 'session-1' ? problem(403, 'LEASE_REVOKED') : problem(503, 'DEPENDENCY_UNAVAILABLE'),
    );
    await fake.clock.advance(75_000);
    expect(changes).toMatchObject([{ state: 'failed', error: { code: 'LEASE_REVOKED' } }]);
    expect(scene.errors).toEqual([]);
  });

  it('destroy releases the session, and one that is still on its way', async () => {
    await player.remoteSource();
    await player.destroy();
    expect(released().sort()).toEqual(['lease-1', 'session-1']);

    open();
    await load(player);
    const asked = player.remoteSource();
    asked.catch(() => {});
    await settle();
    await player.destroy();
    await settle();
    expect(released()).toContain('session-2');
  });

  it('a page that is left releases the session at once', async () => {
    await player.remoteSource();
    scene.leave('pagehide');
    expect(fake.to('POST /keys/leases/revoke')).toMatchObject([
      { json: { leaseId: 'lease-1' }, keepalive: true },
      { json: { leaseId: 'session-1' }, keepalive: true },
    ]);
  });

  it('releaseRemote releases the session, and the next call makes a new one', async () => {
    await player.remoteSource();
    await player.releaseRemote();
    expect(released()).toEqual(['session-1']);
    expect((await player.remoteSource()).url).toBe(playUrl('session-2'));
  });

  it('a session that is kept outlives the page and the player, and the player leaves no timer', async () => {
    await player.remoteSource();
    await player.remoteSource({ keep: true });
    scene.leave('pagehide');
    await player.destroy();
    expect(released()).toEqual(['lease-1']);
    const { length } = fake.requests;
    await fake.clock.advance(1_000_000);
    expect(fake.requests).toHaveLength(length);
  });
});
