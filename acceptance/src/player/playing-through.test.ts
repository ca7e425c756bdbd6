import { describe, expect, it, vi } from 'vitest';
import { readKeyRequests } from '../playback/key-requests.ts';
import { type OwnServer, openTarget, type Target } from '../target.ts';
import { openPlayerSetup, pageOrigin } from './player-setup.ts';
import { countStatuses, isForKeyServer, isKeyRequest, isLeaseRequest, isSegment } from './requests.ts';
import { openScene, type PlayScene, playTimeoutMs } from './scene.ts';

const stage = await openPlayerSetup('short', openTarget({ CORS_ORIGINS: pageOrigin }));
vi.setConfig({ testTimeout: playTimeoutMs });
/** The smallest quality until the test asks for another. A slow answer is then no reason to give a segment up half-way. */
const hlsConfig = { startLevel: 0, abrBandWidthFactor: 0.001, abrBandWidthUpFactor: 0.001 };
const isOwn = (target: Target): target is OwnServer => 'process' in target;

const mean = (durations: readonly number[]) =>
  durations.reduce((sum, duration) => sum + duration, 0) / durations.length;

/** The durations that the browser itself measured, in ms. */
function durationsOf({ page }: PlayScene, path: RegExp): Promise<number[]> {
  return page.evaluate(
    `performance.getEntriesByType('resource').filter(({ name }) => ${path}.test(name)).map(({ duration }) => duration)`,
  );
}

/** A script hears of an answer after the network does, hardly ever sooner, and before what the page hears of next. */
function expectBetween(averageMs: number | null | undefined, network: number[], heard: number[]) {
  expect(network).toHaveLength(heard.length);
  expect(averageMs).toBeGreaterThan(mean(network) * 0.9);
  expect(averageMs).toBeLessThan(mean(heard) + roundingMs);
}
/** Of the eight figures. */
const roundingMs = 0.01;

/** How many key requests the server wrote into its log; of a server whose log is elsewhere, how many went to it. */
async function countKeyRequests({ wire, viewerId, film }: PlayScene): Promise<number> {
  if (!isOwn(stage.target)) return wire.requests.filter(isKeyRequest).length;
  const lines = await readKeyRequests(stage.target, film.contentId);
  return lines.filter(({ principal }) => principal?.id === viewerId).length;
}

it.concurrent.for(['ts', 'fmp4'] as const)(
  'plays encrypted %s through three epochs and changes of quality; its eight figures are what was measured beside it',
  async (container, test) => {
    const film = await stage.encrypt({ container });
    const scene = await openScene(stage, test, { film });
    const { page, wire } = scene;
    const startMs = performance.now();
    const buffer = { maxBufferLength: 4, maxMaxBufferLength: 4 };
    expect(await scene.load({ rate: 2, hlsConfig: { ...hlsConfig, ...buffer } })).toBeNull();
    await scene.until('seen.firstFrameMs !== null');
    const firstFrameWithinMs = performance.now() - startMs;
    // Full, and nothing under way that the change would cut.
    await scene.until('seen.bufferedEnd >= 4');
    await page.evaluate('player().hls.nextLevel = 1');
    await page.evaluate('document.querySelector("video").play()');
    const seen = await scene.until('seen.ended');
    const { errors, metrics, widths, stalls, firstFrameMs, currentTime, leases } = seen;

    expect(errors).toEqual([]);
    // With the end the lease is given back.
    expect(leases).toEqual([expect.any(String), null]);
    expect(currentTime).toBeGreaterThan(11.5);
    expect(Object.keys(metrics).sort()).toEqual([
      'avgDecryptTime',
      'avgFragLoadTime',
      'avgKeyFetchTime',
      'fragmentsLoaded',
      'keyFetchCount',
      'qualitySwitches',
      'stallCount',
      'timeToFirstFrame',
    ]);
    expect(metrics.keyFetchCount).toBe(await countKeyRequests(scene));
    expect(new Set(wire.requests.filter(isKeyRequest).map(({ path }) => path)).size).toBeGreaterThanOrEqual(
      3,
    );
    // One that was given up on the way, as a change of quality does, is not loaded.
    const segments = wire.requests.filter(isSegment).filter(({ doneMs }) => doneMs !== undefined);
    expect(metrics.fragmentsLoaded).toBe(segments.length);
    // Each rendition has a width of its own.
    expect(metrics.qualitySwitches).toBe(widths.length - 1);
    expect(metrics.qualitySwitches).toBeGreaterThanOrEqual(1);
    // None where the machine keeps up with it.
    expect(metrics.stallCount).toBe(stalls);
    expect(metrics.timeToFirstFrame).toBeGreaterThan(0);
    expect(metrics.timeToFirstFrame).toBeLessThan(firstFrameWithinMs);
    expect(metrics.timeToFirstFrame).toBeGreaterThan((firstFrameMs?.least ?? Number.NaN) - roundingMs);
    expect(metrics.timeToFirstFrame).toBeLessThan((firstFrameMs?.most ?? Number.NaN) + roundingMs);
    const keys = await durationsOf(scene, /keys\.localhost\/keys\/film-[^/]+\/\d+$/);
    expectBetween(metrics.avgKeyFetchTime, keys, seen.keyMs);
    expectBetween(metrics.avgFragLoadTime, await durationsOf(scene, /\/\d+\.(ts|m4s)$/), seen.loadMs);
    expect(metrics.avgDecryptTime).toBeGreaterThan(0);
    // Between these two moments lies more than the decryption.
    expect(metrics.avgDecryptTime).toBeLessThan(Math.max(...seen.appendMs));
  },
);

/** What holds however the player is used. @returns the lease that every key request named */
function expectKeysAlone({ wire, given }: PlayScene): string {
  const keys = wire.requests.filter(isKeyRequest);
  expect(keys.length).toBeGreaterThanOrEqual(3);
  expect(countStatuses(keys)).toEqual({ 200: keys.length });
  const sent = new Set(keys.map(({ headers }) => headers.authorization));
  expect(sent.size).toBe(keys.length);
  expect(given.filter(({ reason }) => reason === 'key')).toHaveLength(keys.length);
  expect(wire.requests.filter(isSegment).length).toBeGreaterThanOrEqual(6);
  const others = wire.requests.filter((asked) => !isForKeyServer(asked));
  expect(others.filter(({ headers }) => headers.authorization ?? headers['x-lease-id'])).toEqual([]);
  const leases = new Set(keys.map(({ headers }) => headers['x-lease-id'] as string));
  expect(leases.size).toBe(1);
  return [...leases][0] ?? '';
}

/** What was given back, once the requests have arrived. */
async function expectReleased({ wire }: PlayScene, leaseId: string): Promise<void> {
  const bodies = () => wire.requests.filter(isLeaseRequest('/revoke')).map(({ body }) => JSON.parse(body));
  await vi.waitFor(() => expect(bodies()).toEqual([{ leaseId }]), { timeout: 30_000 });
}

describe.concurrent('an instance of hls.js of the application’s own', () => {
  it.for([
    ['player.load()', 'attach', 'player().destroy()'],
    ['hls.loadSource() as before', 'attachOnly', 'window.hls.destroy()'],
  ] as const)('plays with %s, and ends as it began', async ([, way, end], test) => {
    const film = await stage.encrypt();
    const scene = await openScene(stage, test, { film });
    await scene.play({ way, rate: 4, hlsConfig });
    const { errors, metrics, leases } = await scene.until('seen.ended');
    expect(errors).toEqual([]);
    const leaseId = expectKeysAlone(scene);
    expect(leases).toEqual([leaseId, null]);
    expect(metrics.keyFetchCount).toBe(scene.wire.requests.filter(isKeyRequest).length);
    expect(metrics.fragmentsLoaded).toBe(scene.wire.requests.filter(isSegment).length);
    await expectReleased(scene, leaseId);
    await scene.page.evaluate(end);
    await scene.page.evaluate('reachTest()');
    await expectReleased(scene, leaseId);
  });
});

describe.concurrent('Shaka Player with the request filter', () => {
  it.for(['ts', 'fmp4'] as const)(
    'plays the same %s stream through its epochs, and gives the lease back',
    async (container, test) => {
      const film = await stage.encrypt({ container });
      const scene = await openScene(stage, test, { film });
      await scene.play({ way: 'shaka', rate: 4 });
      const { errors, currentTime } = await scene.until('seen.ended');
      expect(errors).toEqual([]);
      expect(currentTime).toBeGreaterThan(11.5);
      const leaseId = expectKeysAlone(scene);
      await scene.page.evaluate('release()');
      await expectReleased(scene, leaseId);
    },
  );
});
