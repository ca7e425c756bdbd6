import type { SequencePeriods } from '@latchkey/shared/contracts';
import { createManualClock } from '@latchkey/shared/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PacedKey } from './key-pace.ts';
import { createLocalPace } from './local-pace.ts';

const mib = 1_024 * 1_024;
const periods: SequencePeriods = {
  mode: 'sequence',
  count: 100_000,
  periodSeconds: 10,
  burst: 12,
  speed: 2,
  pace: true,
};

function setUp(maxBytes = mib) {
  const clock = createManualClock();
  const pace = createLocalPace(clock, maxBytes);
  const take = (epoch: number, more: Partial<Omit<PacedKey, 'epoch'>> = {}) =>
    pace.take({ viewerId: 'ada', contentId: 'film', epoch, periods, ...more });
  /** How many of these epochs are given. */
  const sweep = (from: number, to: number, viewerId = 'ada') => {
    let given = 0;
    for (let epoch = from; epoch < to; epoch++) if (take(epoch, { viewerId }) === 0) given++;
    return given;
  };
  return { clock, pace, take, sweep };
}

test('a viewer who asks for 10,000 epochs at once gets `burst` of them, and then `speed` for each period', () => {
  const { clock, sweep } = setUp();
  expect(sweep(0, 10_000)).toBe(12);
  clock.advance(4_999);
  expect(sweep(0, 10_000)).toBe(12);
  clock.advance(1);
  expect(sweep(20_000, 30_000)).toBe(1);
  clock.advance(10_000);
  expect(sweep(30_000, 40_000)).toBe(2);
  clock.advance(1e9);
  expect(sweep(40_000, 50_000)).toBe(12);
});

test('an epoch that was given among the last four bursts costs nothing, and an earlier one costs a key again', () => {
  const { clock, take, sweep } = setUp();
  for (let burst = 0; burst < 5; burst++) {
    expect(sweep(burst * 12, burst * 12 + 12)).toBe(12);
    clock.advance(60_000);
  }
  // Sixty were given; the last 48 are remembered.
  for (let repeat = 0; repeat < 50; repeat++) expect(take(59)).toBe(0);
  expect(sweep(12, 60)).toBe(48);
  expect(sweep(0, 12)).toBe(12);
  expect(take(100)).toBeGreaterThan(0);
});

/** Plays for a minute after the start and after each seek to a new place. @returns each refusal's wait in milliseconds */
function playWithSeeks(playback: number, speed: number, seeks: readonly number[]): number[] {
  const { clock, take } = setUp();
  const paced = { periods: { ...periods, speed } };
  const waits: number[] = [];
  for (const start of [0, ...seeks])
    for (let second = 0; second < 60; second++) {
      const epoch = start + Math.floor((second * playback) / 10);
      // The player fetches the key of the next period, too.
      for (const wanted of [epoch, epoch + 1]) {
        const waitMs = take(wanted, paced);
        if (waitMs === 0) continue;
        waits.push(waitMs);
        clock.advance(waitMs);
        expect(take(wanted, paced)).toBe(0);
      }
      clock.advance(1_000);
    }
  return waits;
}
const fiftySeeks = fc.array(fc.nat(5_000), { minLength: 50, maxLength: 50 });

test.each([
  [1, 2],
  [2, 3],
])(
  'a viewer who plays at %d times the speed, with fifty seeks, is never refused where `speed` is %d',
  (playback, speed) => {
    fc.assert(
      fc.property(fiftySeeks, (seeks) => {
        expect(playWithSeeks(playback, speed, seeks)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  },
);

test('a viewer who plays at `speed` itself pays for seeks from the burst: the first ten are free, and later ones wait for one key at most', () => {
  fc.assert(
    fc.property(fiftySeeks, (seeks) => {
      expect(playWithSeeks(2, 2, seeks.slice(0, 10))).toEqual([]);
      expect(playWithSeeks(2, 2, []).length).toBe(0);
      const waits = playWithSeeks(2, 2, seeks);
      for (const waitMs of waits) expect(waitMs).toBeLessThan(5_001);
    }),
    { numRuns: 20 },
  );
});

test('a content whose periods change keeps what a viewer has taken', () => {
  const { pace, sweep } = setUp();
  sweep(0, 12);
  const key = { viewerId: 'ada', contentId: 'film', epoch: 50 };
  expect(pace.take({ ...key, periods: { ...periods, burst: 1_000 } })).toBeGreaterThan(0);
  expect(pace.take({ ...key, periods: { ...periods, burst: 1 } })).toBeGreaterThan(0);
});

test('a period as long as a century and one as short as a nanosecond are counted without an overflow', () => {
  const { pace, clock } = setUp();
  const take = (epoch: number, periodSeconds: number) =>
    pace.take({
      viewerId: 'ada',
      contentId: `${periodSeconds}`,
      epoch,
      periods: { ...periods, periodSeconds },
    });
  for (let epoch = 0; epoch < 12; epoch++) expect(take(epoch, 1e10)).toBe(0);
  expect(take(12, 1e10)).toBeCloseTo(5e12, -3);
  for (let epoch = 0; epoch < 12; epoch++) expect(take(epoch, 1e-300)).toBe(0);
  clock.advance(1);
  for (let epoch = 12; epoch < 24; epoch++) expect(take(epoch, 1e-300)).toBe(0);
});

test('an empty bucket is kept until it is full again, however many other viewers come', () => {
  const { clock, take, sweep } = setUp(mib);
  expect(sweep(0, 100, 'eve')).toBe(12);
  // As many as fit: a bucket takes some 480 bytes with its name. Each takes one key and never comes back.
  for (let viewer = 0; viewer < mib / 500; viewer++) take(0, { viewerId: `v${viewer}` });
  expect(sweep(100, 200, 'eve')).toBe(0);
  // Ten minutes later eve may have a whole burst; nine seconds later no more than one key.
  clock.advance(9_000);
  expect(sweep(200, 300, 'eve')).toBe(1);
});

test('buckets of more viewers than fit take no more than the limit, and the buckets of the latest viewers stay', () => {
  const { pace, take } = setUp(mib);
  const viewers = 20_000;
  for (let viewer = 0; viewer < viewers; viewer++) take(0, { viewerId: `v${viewer}` });
  const isKept = (viewer: number) =>
    pace.wasGiven({ viewerId: `v${viewer}`, contentId: 'film', epoch: 0, periods });
  const kept = Array.from({ length: viewers }, (_, viewer) => isKept(viewer)).filter(Boolean).length;
  // A bucket takes some 480 bytes with its name.
  expect(kept).toBeLessThan(mib / 350);
  expect(kept).toBeGreaterThan(mib / 500);
  for (let viewer = viewers - 1_000; viewer < viewers; viewer++) expect(isKept(viewer)).toBe(true);
});
