import { openTarget } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';
import { showAsLive } from './live-window.ts';
import { openPlayerSetup } from './player-setup.ts';
import { countStatuses, isForKeyServer, isKeyRequest, isLeaseCall, isSegment } from './requests.ts';
import { openScene, type PlayScene } from './scene.ts';

const stage = await openPlayerSetup('long', openTarget());

const film = await stage.encrypt({ rotateEvery: 2 });

it.concurrent('a key server that is away for 20 seconds is not noticed by the viewer', async (test) => {
  // Epochs of 12 s, of which two fill the buffer: the key of the fourth is wanted at 10 s or so, and needed at 36.
  const slow = await stage.encrypt({ rotateEvery: 6 });
  const scene = await openScene(stage, test, { film: slow });
  const { wire, page } = scene;
  // Too short for an outage: renewals are missed, too.
  const leases = { ttlSeconds: 12 };
  const hlsConfig = { maxBufferLength: 24, maxMaxBufferLength: 24 };
  expect(await scene.load({ hlsConfig, leases })).toBeNull();
  await scene.until('seen.bufferedEnd > 20 && seen.keyMs.length >= 3');
  const before = wire.requests.length;
  const cutMs = performance.now();
  const bringBack = wire.cut(isForKeyServer);
  await page.evaluate('document.querySelector("video").play()');
  const during = await scene.until('seen.currentTime > 20');
  const missed = wire.requests.slice(before).filter(isForKeyServer);
  bringBack();
  const backMs = performance.now();

  expect(during.paused).toBe(false);
  expect(new Set(during.retries.map(({ what }) => what))).toEqual(new Set(['key', 'lease']));
  expect(new Set(during.retries.map(({ code }) => code))).toEqual(new Set(['NETWORK']));
  expect(Object.keys(countStatuses(missed))).toEqual(['none']);
  // No more than one a second.
  expect(missed.length).toBeLessThan((backMs - cutMs) / 1_000);

  // More than the keys loaded before can decrypt.
  await scene.until('seen.bufferedEnd > 40');
  await page.evaluate('document.querySelector("video").playbackRate = 2');
  // If the machine stops for longer than such a lease lives, the player takes another one then too.
  const after = await scene.until('seen.currentTime > 38 && seen.leaseId');
  expect(after.errors).toEqual([]);
  expect(after.starved).toBe(0);
  const keys = wire.requests.slice(before).filter(isKeyRequest);
  const answered = keys.filter(({ status }) => status === 200);
  expect(answered.length).toBeGreaterThanOrEqual(1);
  expect(answered.length).toBe(new Set(answered.map(({ path }) => path)).size);
  // The lease ran out meanwhile: it is renewed, or another is taken.
  const again = wire.requests.filter(({ atMs }) => atMs > backMs).filter(isLeaseCall);
  expect(again.some(({ status }) => status === 200 || status === 201)).toBe(true);
});

/** Pages that begin together. */
const viewers = 5;
/** The pages request the next key within half a segment, spread over more than this time. */
const spreadMs = 400;

/** For each rotation that the page went through: how long after the last segment the next key was requested, in ms. */
function delaysOf({ wire }: PlayScene): number[] {
  const segments = wire.requests.filter(isSegment);
  return wire.requests
    .filter(isKeyRequest)
    .filter(({ path }) => Number(path.split('/').at(-1)) >= 4)
    .map(
      ({ atMs }) => atMs - Math.max(...segments.map(({ doneMs = 0 }) => doneMs).filter((ms) => ms < atMs)),
    );
}

it.concurrent('pages that began together request the next key once each, at different moments, and playback does not wait for it', async (test) => {
  // Six segments: the first four keys are there at the start, each further one is for a rotation.
  const hlsConfig = { maxBufferLength: 12, maxMaxBufferLength: 12 };
  const opening = Array.from({ length: viewers }, () => openScene(stage, test, { film }));
  const scenes = await Promise.all(opening);
  const refusals = await Promise.all(scenes.map((scene) => scene.load({ hlsConfig })));
  expect(refusals.filter(Boolean)).toEqual([]);
  await Promise.all(scenes.map((scene) => scene.until('seen.bufferedEnd > 10')));
  await Promise.all(scenes.map(({ page }) => page.evaluate('document.querySelector("video").play()')));
  const ends = await Promise.all(scenes.map((scene) => scene.until('seen.currentTime > 16')));

  for (const { errors, starved } of ends) expect([errors, starved]).toEqual([[], 0]);
  for (const { wire } of scenes) {
    const paths = wire.requests.filter(isKeyRequest).map(({ path }) => path);
    expect(paths).toHaveLength(new Set(paths).size);
  }
  const delays = scenes.flatMap(delaysOf);
  expect(delays.length).toBeGreaterThanOrEqual(2 * viewers);
  expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(spreadMs);
});

it.concurrent('in a live stream each next key is requested once, before a playlist names it, and playback does not wait for it', async (test) => {
  const scene = await openScene(stage, test, { film });
  const live = await showAsLive(stage, scene);
  await scene.play({ playlist: live.playlist });
  const { errors, starved } = await scene.until('seen.currentTime > 14');
  expect([errors, starved]).toEqual([[], 0]);
  const epochOf = ({ path }: { readonly path: string }) => Number(path.split('/').at(-1));
  // The third waits for its random moment before it is needed, the fourth for one of the period before its own: either may come first.
  const keys = scene.wire.requests.filter(isKeyRequest).toSorted((a, b) => epochOf(a) - epochOf(b));
  const epochs = keys.map(epochOf);
  expect(epochs).toEqual(epochs.map((_, index) => (epochs[0] ?? 0) + index));
  // Playback goes on, so the last one may still be on its way.
  await expect.poll(() => countStatuses(keys)).toEqual({ 200: keys.length });
  // The first playlist names two keys, and how long a period is shows when the third begins.
  const learned = 3;
  const later = keys
    .slice(learned)
    .map(
      ({ atMs }, index) => atMs - (live.namedMs((epochs[learned] ?? 0) + index) ?? Number.POSITIVE_INFINITY),
    );
  expect(later.length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...later)).toBeLessThan(0);
});
