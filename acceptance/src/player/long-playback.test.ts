import { expect, it } from 'vitest';
import { openTarget } from '../target.ts';
import { openPlayerStage, pageOrigin } from './player-stage.ts';
import { isForKeyServer, isKeyRequest, isLeaseCall, isSegment } from './requests.ts';
import { openScene, type PlayScene } from './scene.ts';

const stage = await openPlayerStage('long', openTarget({ CORS_ORIGINS: pageOrigin }));
const outageMs = 20_000;
const timeoutMs = 60_000;

it.concurrent(
  'a key server that is away for 20 seconds is not noticed by the viewer',
  async (test) => {
    // Epochs of 12 s, of which two fill the buffer: the key of the fourth is wanted at 10 s or so, and needed at 36.
    const film = await stage.encrypt({ rotateEvery: 6 });
    const scene = await openScene(stage, test, { film });
    const { wire, page } = scene;
    // Too short for an outage: renewals are missed, too.
    const leases = { ttlSeconds: 12 };
    await scene.play({ hlsConfig: { maxBufferLength: 24, maxMaxBufferLength: 24 }, leases });
    await scene.until('seen.currentTime > 2 && seen.bufferedEnd > 20');
    const before = wire.requests.filter(isKeyRequest).length;
    const bringBack = wire.cut(isForKeyServer);
    await new Promise((resolve) => setTimeout(resolve, outageMs));
    // A machine that is busy plays a little slower than time goes by.
    const during = await scene.until(`seen.currentTime > ${outageMs / 1_000}`);
    const missed = wire.requests.filter(isForKeyServer).filter(({ status }) => status === undefined);
    bringBack();
    const backMs = performance.now();

    expect(during.paused).toBe(false);
    expect(new Set(during.retries.map(({ what }) => what))).toEqual(new Set(['key', 'lease']));
    expect(new Set(during.retries.map(({ code }) => code))).toEqual(new Set(['NETWORK']));
    expect(missed.length).toBeGreaterThan(0);
    expect(missed.length).toBeLessThan(outageMs / 1_000);

    // Beyond what the keys of before open.
    await scene.until('seen.bufferedEnd > 40');
    await page.evaluate('document.querySelector("video").playbackRate = 2');
    const after = await scene.until('seen.currentTime > 38');
    expect(after.errors).toEqual([]);
    expect(after.metrics.stallCount).toBe(0);
    const keys = wire.requests.filter(isKeyRequest);
    const answered = keys.slice(before).filter(({ status }) => status === 200);
    expect(answered.length).toBeGreaterThanOrEqual(1);
    expect(answered.length).toBe(new Set(answered.map(({ path }) => path)).size);
    // The lease ran out meanwhile: it is renewed, or another is taken.
    const again = wire.requests.filter(({ atMs }) => atMs > backMs).filter(isLeaseCall);
    expect(again.some(({ status }) => status === 200 || status === 201)).toBe(true);
    expect(after.leaseId).not.toBeNull();
  },
  timeoutMs,
);

/** Pages that begin together. */
const viewers = 5;
/** Of half a segment: the moments at which the pages ask for the next key lie at least so far apart. */
const spreadMs = 400;

/** For each rotation that the page went through: how long after the last segment the next key was asked for, in ms. */
function delaysOf({ wire }: PlayScene): number[] {
  const segments = wire.requests.filter(isSegment);
  return wire.requests
    .filter(isKeyRequest)
    .filter(({ path }) => Number(path.split('/').at(-1)) >= 3)
    .map(
      ({ atMs }) => atMs - Math.max(...segments.map(({ doneMs = 0 }) => doneMs).filter((ms) => ms < atMs)),
    );
}

it.concurrent(
  'pages that play in step ask for the next key each at a moment of its own, once, and none waits for it',
  async (test) => {
    const film = await stage.encrypt({ rotateEvery: 2 });
    // Four segments: the first two keys are there at the start, each further one is for a rotation.
    const hlsConfig = { maxBufferLength: 8, maxMaxBufferLength: 8 };
    const opening = Array.from({ length: viewers }, () => openScene(stage, test, { film }));
    const scenes = await Promise.all(opening);
    const refusals = await Promise.all(scenes.map((scene) => scene.load({ hlsConfig })));
    expect(refusals.filter(Boolean)).toEqual([]);
    await Promise.all(scenes.map((scene) => scene.until('seen.bufferedEnd > 6')));
    await Promise.all(scenes.map(({ page }) => page.evaluate('document.querySelector("video").play()')));
    const ends = await Promise.all(scenes.map((scene) => scene.until('seen.currentTime > 16', 30_000)));

    for (const { errors, metrics } of ends) {
      expect(errors).toEqual([]);
      expect(metrics.stallCount).toBe(0);
    }
    for (const { wire } of scenes) {
      const paths = wire.requests.filter(isKeyRequest).map(({ path }) => path);
      expect(paths).toHaveLength(new Set(paths).size);
    }
    const delays = scenes.flatMap(delaysOf);
    expect(delays.length).toBeGreaterThanOrEqual(2 * viewers);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(spreadMs);
  },
  timeoutMs,
);
