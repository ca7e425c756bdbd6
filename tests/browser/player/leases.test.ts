import { eventually } from '@latchkey/support/black-box/eventually';
import { revokeLeases } from '@latchkey/support/black-box/server-actions';
import { openShared, openTarget, type Target } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { laterToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';
import { openPlayerSetup, segmentSeconds } from './player-setup.ts';
import { countStatuses, isForKeyServer, isKeyRequest, isLeaseRequest } from './requests.ts';
import { openScene, type PlayScene } from './scene.ts';
import type { WireRequest } from './wire.ts';

// Chromium itself: the headless shell drops what a page sends while its window closes.
const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const stage = await openPlayerSetup('long', openTarget(), chromium);
const { target } = stage;
const film = await stage.encrypt({ rotateEvery: 2 });
const epochSeconds = 2 * segmentSeconds;
/** Two segments ahead, so that a film of a minute is not loaded, with all of its keys, before it has begun. */
const hlsConfig = { maxBufferLength: 4, maxMaxBufferLength: 4 };
/** The next key is requested up to half a segment late, so that players that began together do not all ask at once. */
const spreadSeconds = segmentSeconds / 2;
/** Longer than the longest pause between two attempts (4.5 s). */
const quietMs = 5_000;
const single = await openShared('one-lease');
const singleFilm = await stage.encrypt({ server: single });

async function lookUp({ client, adminApiKey }: Target, leaseId: string | null) {
  return (await client.get(`/api/v1/leases/${leaseId}`, adminApiKey)).json.lease;
}

/** Waits until the server has noted that the viewer gave the lease back. */
async function expectReleased(leaseId: string | null, server: Target = target): Promise<void> {
  await eventually(async () =>
    expect(await lookUp(server, leaseId)).toMatchObject({ state: 'revoked', revokedBy: 'viewer' }),
  );
}

/** Longer than any lease lives unless it is renewed. */
const leaseMs = 3_600_000;

/** Plays, revokes, and waits until playback has stopped. */
async function playUntilRevoked(scene: PlayScene, selector: 'leaseId' | 'viewerId') {
  await scene.play({ hlsConfig, hasOwnTime: true });
  const { leaseId } = await scene.until('seen.currentTime > 3');
  // Slowly from here on: the time that a busy machine takes is little of the film.
  await scene.page.evaluate('document.querySelector("video").playbackRate = 0.25');
  await revokeLeases(target, { [selector]: selector === 'leaseId' ? (leaseId ?? '') : scene.viewerId });
  const { currentTime } = await scene.seen();
  return { revokedAtSeconds: currentTime, stopped: await scene.until('seen.errors.length > 0') };
}

describe.concurrent('a lease that is revoked while its viewer watches', () => {
  it.for(['leaseId', 'viewerId'] as const)(
    'after a revocation by %s, playback stops within one epoch with LEASE_REVOKED, one request is refused, and no other follows',
    async (selector, test) => {
      const scene = await openScene(stage, test, { film });
      const { revokedAtSeconds, stopped } = await playUntilRevoked(scene, selector);
      expect(stopped.errors).toMatchObject([{ name: 'PlayerError', code: 'LEASE_REVOKED', status: 403 }]);
      expect(stopped.paused).toBe(true);
      const latestSeconds = revokedAtSeconds + epochSeconds + spreadSeconds + target.propagationMs / 1_000;
      expect(stopped.currentTime).toBeLessThan(latestSeconds);

      expect(await scene.wire.next(isForKeyServer, quietMs)).toBeUndefined();
      const { length } = scene.given;
      await scene.letPass(leaseMs);
      expect(scene.given).toHaveLength(length);
      const asked = scene.wire.requests.filter(isForKeyServer);
      expect(asked.filter(({ status }) => status === 403)).toHaveLength(1);
      expect(asked.at(-1)?.status).toBe(403);
      const epochs = asked.filter(isKeyRequest).filter(({ status }) => status === 200).length;
      expect(stopped.currentTime).toBeLessThan(epochs * epochSeconds);
      await scene.page.evaluate('document.querySelector("video").play().catch(() => {})');
      const later = await scene.until('seen.paused');
      expect(later.currentTime).toBeLessThan(latestSeconds);
      expect(later.errors).toHaveLength(1);
    },
  );

  it('after a revocation by viewerId, an older token gets no new lease, and a newer token does', async (test) => {
    let isDecidedAnew = false;
    const viewerId = unique('viewer');
    const token = () => (isDecidedAnew ? laterToken(target.jwtSecret, viewerId) : undefined);
    const scene = await openScene(stage, test, { film, viewerId, token });
    await playUntilRevoked(scene, 'viewerId');
    expect(await scene.page.evaluate('loadAgain()')).toMatchObject({ code: 'TOKEN_REVOKED', status: 403 });
    isDecidedAnew = true;
    expect(await scene.page.evaluate('loadAgain()')).toBeNull();
    await scene.page.evaluate('document.querySelector("video").play()');
    await scene.until('seen.currentTime > 1 && !seen.paused');
  });
});

describe.concurrent('a viewer who may play on one device', () => {
  it('a viewer limited to one device gets an error that names the device that plays, and plays once that has stopped', async (test) => {
    const viewerId = unique('viewer');
    const options = { film: singleFilm, server: single, viewerId };
    const first = await openScene(stage, test, options);
    await first.play({ hlsConfig, leases: { deviceId: 'living room' } });
    const { leaseId } = await first.until('seen.currentTime > 1');

    const second = await openScene(stage, test, options);
    const error = await second.load({ hlsConfig, leases: { deviceId: 'phone' } });
    expect(error).toMatchObject({ code: 'LEASE_LIMIT_REACHED', status: 409 });
    expect(error?.leases).toMatchObject([{ id: leaseId, deviceId: 'living room' }]);
    expect(await second.wire.next(isForKeyServer, quietMs)).toBeUndefined();
    expect(second.wire.requests.filter(isKeyRequest)).toEqual([]);
    expect(countStatuses(second.wire.requests.filter(isLeaseRequest('')))).toEqual({ 409: 1 });
    expect((await second.seen()).errors).toMatchObject([{ code: 'LEASE_LIMIT_REACHED' }]);
    expect((await first.until('seen.currentTime > 5')).errors).toEqual([]);

    await first.page.close();
    await expectReleased(leaseId, single);
    expect(await second.page.evaluate('loadAgain()')).toBeNull();
    await second.page.evaluate('document.querySelector("video").play()');
    await second.until('seen.currentTime > 1');
  });
});

describe.concurrent('a page that is left', () => {
  const ways = {
    'by going elsewhere': ({ page }: PlayScene) => page.goto('about:blank'),
    'by closing it': ({ page }: PlayScene) => page.close(),
    'by closing the browser’s window': ({ context }: PlayScene) => context.close(),
    'by destroying the player': ({ page }: PlayScene) => page.evaluate('player().destroy()'),
  };
  it.for(Object.keys(ways) as (keyof typeof ways)[])(
    'a page that is left %s gives its lease back',
    async (way, test) => {
      const scene = await openScene(stage, test, { film });
      await scene.play({ hlsConfig });
      await scene.until('seen.currentTime > 0.5');
      // A closed window ends its connections. There is time for one request, but not for a preflight before it.
      if (way.includes('window')) await scene.page.evaluate('loadAgain()');
      const { leaseId } = await scene.seen();
      expect(await lookUp(target, leaseId)).toMatchObject({ state: 'active', viewerId: scene.viewerId });
      await ways[way](scene);
      const asked = scene.wire.requests.filter(isLeaseRequest(''));
      expect(asked.length).toBe(way.includes('window') ? 2 : 1);
      await expectReleased(leaseId);
      expect(scene.wire.requests.filter(({ path }) => path === '/api/v1/player-metrics')).toEqual([]);
    },
  );

  it('a page that is left reports its eight figures if `reportMetrics` is on', async (test) => {
    const scene = await openScene(stage, test, { film });
    await scene.play({ hlsConfig, reportMetrics: true });
    const { metrics } = await scene.until('seen.currentTime > 1');
    const isReport = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path === '/api/v1/player-metrics';
    const reported = scene.wire.next(isReport, 30_000);
    await scene.page.goto('about:blank');
    const report = await reported;
    const { contentId, ...figures } = JSON.parse(report?.body ?? '{}');
    expect(contentId).toBe(film.contentId);
    expect(Object.keys(figures).sort()).toEqual(Object.keys(metrics).sort());
    expect(figures.timeToFirstFrame).toBe(metrics.timeToFirstFrame);
    expect(figures.keyFetchCount).toBeGreaterThanOrEqual(metrics.keyFetchCount ?? 0);
    await eventually(() => expect(report?.status).toBe(204));
    expect(scene.wire.requests.filter(isReport)).toHaveLength(1);
  });
});

it.concurrent('a player that loads again gives its lease back before it takes another, and plays on', async (test) => {
  const scene = await openScene(stage, test, { film });
  await scene.play({ hlsConfig });
  const { leaseId } = await scene.until('seen.currentTime > 0.5');
  expect(await scene.page.evaluate('loadAgain()')).toBeNull();
  await scene.page.evaluate('document.querySelector("video").play()');
  const again = await scene.until('seen.currentTime > 5');
  expect(again.errors).toEqual([]);
  expect(again.leaseId).not.toBe(leaseId);
  await expectReleased(leaseId);
  // In this order. Otherwise the server would return the lease that is about to end (same content, same device).
  const released = scene.wire.requests.find(isLeaseRequest('/revoke'));
  const taken = scene.wire.requests.findLast(isLeaseRequest(''));
  expect(taken?.atMs).toBeGreaterThanOrEqual(released?.doneMs ?? Number.POSITIVE_INFINITY);
});

it.concurrent('a machine that slept while its lease ran out takes a new one, and plays on', async (test) => {
  const scene = await openScene(stage, test, { film });
  // No renewal arrives, as while a laptop is closed. Everything else does.
  const open = scene.wire.cut(isLeaseRequest('/renew'));
  // Three epochs ahead: more than a machine that is busy takes to go on.
  await scene.play({ hlsConfig: { maxBufferLength: 12, maxMaxBufferLength: 12 }, leases: { ttlSeconds: 3 } });
  const { currentTime } = await scene.until('seen.leases.filter(Boolean).length > 1');
  open();
  const playedOn = `seen.leaseId && seen.currentTime > ${currentTime + epochSeconds}`;
  const { errors, leases, leaseId } = await scene.until(playedOn);
  expect(errors).toEqual([]);
  // Two, unless the machine stops again for longer than a lease lives.
  const ids = [...new Set(leases.filter((id) => id !== null))];
  expect(ids.at(-1)).toBe(leaseId);
  for (const id of ids.slice(0, -1)) expect((await lookUp(target, id)).state).toBe('expired');
  // There may also be a 200: of a request that was sent again because its first answer came too late.
  expect(countStatuses(scene.wire.requests.filter(isLeaseRequest('')))[201]).toBe(ids.length);
  const leaseOf = ({ headers }: WireRequest) => headers['x-lease-id'];
  const keys = scene.wire.requests.filter(isKeyRequest);
  const refused = keys.filter(({ status }) => status === 403);
  expect(refused.map(leaseOf)).toContain(ids[0]);
  // No later key request names a refused lease.
  for (const key of refused)
    expect(keys.slice(keys.indexOf(key) + 1).map(leaseOf)).not.toContain(leaseOf(key));
});
