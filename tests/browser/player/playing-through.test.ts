import { eventually } from '@latchkey/support/black-box/eventually';
import { openTarget, type Target, type WatchedServer } from '@latchkey/support/black-box/target';
import { readKeyRequests } from '@latchkey/support/playback/key-requests';
import { describe, expect, it } from 'vitest';
import { openPlayerSetup, pageOrigin } from './player-setup.ts';
import {
  countStatuses,
  isForKeyServer,
  isKeyRequest,
  isLeaseRequest,
  isSegment,
  segmentPath,
} from './requests.ts';
import { openScene, type PlayScene } from './scene.ts';

const stage = await openPlayerSetup('short', openTarget());
/** The lowest quality until the test requests another, so that hls.js does not abandon a segment that comes slowly. */
const hlsConfig = { startLevel: 0, abrBandWidthFactor: 0.001, abrBandWidthUpFactor: 0.001 };
const films = { ts: await stage.encrypt(), fmp4: await stage.encrypt({ container: 'fmp4' }) };
const isOwn = (target: Target): target is WatchedServer => 'process' in target;

const mean = (durations: readonly number[]) =>
  durations.reduce((sum, duration) => sum + duration, 0) / durations.length;

/** The durations that the browser itself measured, in ms. */
function durationsOf({ page }: PlayScene, path: RegExp): Promise<number[]> {
  return page.evaluate(
    `performance.getEntriesByType('resource').filter(({ name }) => ${path}.test(name)).map(({ duration }) => duration)`,
  );
}

/**
 * The player gets an answer after the network, hardly ever sooner, and before the page is notified.
 *
 * @param abandoned how many answers at most the player did not wait for. The browser measured these too
 */
function expectBetween(
  averageMs: number | null | undefined,
  network: number[],
  notified: number[],
  abandoned = 0,
) {
  expect(network.length).toBeGreaterThanOrEqual(notified.length);
  expect(network.length).toBeLessThanOrEqual(notified.length + abandoned);
  // The browser does not say which ones the player abandoned: at worst the slowest.
  const fastest = network.toSorted((a, b) => a - b).slice(0, notified.length);
  expect(averageMs).toBeGreaterThan(mean(fastest) * 0.9);
  expect(averageMs).toBeLessThan(mean(notified) + roundingMs);
}
/** Of the eight figures. */
const roundingMs = 0.01;

/** How many key requests the server logged. If its log cannot be read: how many were sent to it. */
async function countKeyRequests({ wire, viewerId, film }: PlayScene): Promise<number> {
  if (!isOwn(stage.target)) return wire.requests.filter(isKeyRequest).length;
  const lines = await readKeyRequests(stage.target, film.contentId);
  return lines.filter(({ principal }) => principal?.id === viewerId).length;
}

it.concurrent.for(['ts', 'fmp4'] as const)(
  'the player plays encrypted %s through three epochs and changes of quality, and its eight figures match what the test measured',
  async (container, test) => {
    const film = films[container];
    const scene = await openScene(stage, test, { film });
    const { page, wire } = scene;
    const startMs = performance.now();
    const buffer = { maxBufferLength: 4, maxMaxBufferLength: 4 };
    expect(await scene.load({ rate: 2, hlsConfig: { ...hlsConfig, ...buffer } })).toBeNull();
    await scene.until('seen.firstFrameMs !== null');
    const firstFrameWithinMs = performance.now() - startMs;
    // The buffer is full, so the change of quality interrupts no download.
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
    expect(metrics.fragmentsLoaded).toBe(seen.loadMs.length);
    // hls.js may abandon one at a change of quality, even one whose last byte has just arrived.
    const abandoned = widths.length;
    const segments = wire.requests.filter(isSegment).filter(({ doneMs }) => doneMs !== undefined);
    expect(metrics.fragmentsLoaded).toBeLessThanOrEqual(segments.length);
    expect(metrics.fragmentsLoaded).toBeGreaterThanOrEqual(segments.length - abandoned);
    // Each rendition has a width of its own.
    expect(metrics.qualitySwitches).toBe(widths.length - 1);
    expect(metrics.qualitySwitches).toBeGreaterThanOrEqual(1);
    // Usually 0, and more on a slow machine.
    expect(metrics.stallCount).toBe(stalls);
    expect(metrics.timeToFirstFrame).toBeGreaterThan(0);
    expect(metrics.timeToFirstFrame).toBeLessThan(firstFrameWithinMs);
    expect(metrics.timeToFirstFrame).toBeGreaterThan((firstFrameMs?.least ?? Number.NaN) - roundingMs);
    expect(metrics.timeToFirstFrame).toBeLessThan((firstFrameMs?.most ?? Number.NaN) + roundingMs);
    const keys = await durationsOf(scene, /keys\.localhost\/keys\/film-[^/]+\/\d+$/);
    expectBetween(metrics.avgKeyFetchTime, keys, seen.keyMs);
    const loads = await durationsOf(scene, segmentPath);
    expectBetween(metrics.avgFragLoadTime, loads, seen.loadMs, abandoned);
    expect(metrics.avgDecryptTime).toBeGreaterThan(0);
    // Between these two moments lies more than the decryption.
    expect(metrics.avgDecryptTime).toBeLessThan(Math.max(...seen.appendMs));
  },
);

/** Checks what holds for every way to use the player. @returns the lease that every key request named */
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

/** Waits until exactly this lease has been given back. */
async function expectReleased({ wire }: PlayScene, leaseId: string): Promise<void> {
  const bodies = () => wire.requests.filter(isLeaseRequest('/revoke')).map(({ body }) => JSON.parse(body));
  await eventually(() => expect(bodies()).toEqual([{ leaseId }]));
}

describe.concurrent('an instance of hls.js of the application’s own', () => {
  it.for([
    ['player.load()', 'attach', 'player().destroy()'],
    ['hls.loadSource() as before', 'attachOnly', 'window.hls.destroy()'],
  ] as const)(
    'the application’s own hls.js plays with %s, and gives its lease back once',
    async ([, way, end], test) => {
      const film = films.ts;
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
    },
  );
});

describe.concurrent('Shaka Player with the request filter', () => {
  it.for(['ts', 'fmp4'] as const)(
    'Shaka Player with the request filter plays the same %s stream through its epochs, and gives its lease back',
    async (container, test) => {
      const film = films[container];
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

it('after an error, load() of the same playlist, signed anew, plays on from where playback stopped', async (test) => {
  const scene = await openScene(stage, test, { film: films.ts });
  const { page, wire, film } = scene;
  const buffer = { maxBufferLength: 2, maxMaxBufferLength: 2 };
  await scene.play({ hlsConfig: { ...hlsConfig, ...buffer } });
  await scene.until('seen.currentTime > 1');
  const restore = wire.answer(isSegment, 403, {});
  const { errors } = await scene.until(
    'seen.errors.length > 0 && seen.currentTime >= seen.bufferedEnd - 0.1',
  );
  expect(errors.at(-1)).toMatchObject({ code: 'MEDIA_NETWORK', status: 403 });
  restore();
  const { currentTime } = await scene.seen();
  const before = wire.requests.filter(isSegment).length;
  const again = JSON.stringify([
    `${pageOrigin}${film.playlist}?signature=new`,
    { contentId: film.contentId },
  ]);
  await page.evaluate(`window.player().load(...${again})`);
  await page.evaluate('document.querySelector("video").play()');
  const resumed = await scene.until(`seen.currentTime > ${currentTime + 1}`);
  expect(resumed.errors).toHaveLength(errors.length);
  // Segments that had been played are not fetched again.
  const [first] = wire.requests.filter(isSegment).slice(before);
  expect(first?.path).not.toBe(wire.requests.find(isSegment)?.path);
});
