import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { createManualClock } from './testing/manual-clock.ts';

const nothing = {
  timeToFirstFrame: null,
  avgDecryptTime: 0,
  avgFragLoadTime: 0,
  avgKeyFetchTime: 0,
  keyFetchCount: 0,
  qualitySwitches: 0,
  fragmentsLoaded: 0,
  stallCount: 0,
};

function open() {
  const clock = createManualClock();
  const metrics = createMetrics(clock.now);
  metrics.begin();
  return { clock, metrics };
}

it('getMetrics has exactly the eight figures, also before playback', () => {
  expect(createMetrics(() => 0).read()).toEqual(nothing);
});

it('timeToFirstFrame counts from the load to the first frame', () => {
  const { clock, metrics } = open();
  clock.jump(640);
  metrics.firstFrame();
  clock.jump(999);
  metrics.firstFrame();
  expect(metrics.read().timeToFirstFrame).toBe(640);
});

it('averages are per segment and per answered key request, and an unanswered one is only counted', () => {
  const { metrics } = open();
  for (const durationMs of [1, 2, 4.5]) metrics.decrypted(durationMs);
  for (const durationMs of [100, 200]) metrics.fragmentLoaded(durationMs);
  metrics.keyRequested(30, true);
  metrics.keyRequested(8_000, false);
  metrics.keyRequested(10, true);
  expect(metrics.read()).toEqual({
    ...nothing,
    avgDecryptTime: 2.5,
    avgFragLoadTime: 150,
    fragmentsLoaded: 2,
    avgKeyFetchTime: 20,
    keyFetchCount: 3,
  });
});

it('the first level and the same level again do not count as quality switches', () => {
  const { metrics } = open();
  for (const level of [1, 1, 0, 0, 1]) metrics.levelShown(level);
  expect(metrics.read().qualitySwitches).toBe(2);
});

it('another load resets all figures', () => {
  const { metrics } = open();
  metrics.firstFrame();
  metrics.stalled();
  metrics.levelShown(0);
  metrics.begin();
  metrics.levelShown(1);
  expect(metrics.read()).toEqual(nothing);
});
