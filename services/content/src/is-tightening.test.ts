import { findEpochRefusal, type KeyPeriods } from '@latchkey/shared/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTightening } from './is-tightening.ts';

const clock = { mode: 'clock', origin: 1_000_000, periodSeconds: 10, ahead: 1, behind: 5 } as const;
const sequence = { mode: 'sequence', count: 100, periodSeconds: 6, burst: 20, speed: 2, pace: true } as const;
const paceless = { ...sequence, pace: false };

test.each<[string, KeyPeriods | null, KeyPeriods | null, boolean]>([
  ['none to none', null, null, true],
  ['none to a clock', null, clock, true],
  ['a clock to a sequence', clock, sequence, false],
  ['a sequence to a clock', sequence, clock, false],
  ['the same clock', clock, { ...clock }, true],
  ['fewer epochs ahead', clock, { ...clock, ahead: 0 }, true],
  ['fewer epochs behind', clock, { ...clock, behind: 0 }, true],
  ['all epochs behind to few', { ...clock, behind: null }, clock, true],
  ['an earlier origin', clock, { ...clock, origin: 999_999 }, false],
  ['a later origin', clock, { ...clock, origin: 1_000_001 }, false],
  ['another clock', clock, { ...clock, periodSeconds: 20 }, false],
  ['the same sequence', sequence, { ...sequence }, true],
  ['a shorter sequence', sequence, { ...sequence, count: 99 }, true],
  ['a smaller burst', sequence, { ...sequence, burst: 1 }, true],
  ['less speed', sequence, { ...sequence, speed: 0.5 }, true],
  ['longer periods', sequence, { ...sequence, periodSeconds: 12 }, true],
  ['a pace', paceless, { ...sequence, burst: 1_000, speed: 100 }, true],
  ['other figures of a pace that there is not', paceless, { ...paceless, burst: 1_000, speed: 100 }, true],
])('a change from %s is a tightening: %s, %s, %s', (_what, before, after, expected) => {
  expect(isTightening(before, after)).toBe(expected);
});

const periods: fc.Arbitrary<KeyPeriods | null> = fc.option(
  fc.oneof(
    fc.record({
      mode: fc.constant('clock' as const),
      origin: fc.constantFrom(0, 5_000, 10_000),
      periodSeconds: fc.constantFrom(5, 10),
      ahead: fc.integer({ min: 0, max: 3 }),
      behind: fc.option(fc.integer({ min: 0, max: 3 })),
    }),
    fc.record({
      mode: fc.constant('sequence' as const),
      count: fc.integer({ min: 1, max: 8 }),
      periodSeconds: fc.constantFrom(2, 6, 60),
      burst: fc.integer({ min: 1, max: 10 }),
      speed: fc.constantFrom(0.5, 1, 2),
      pace: fc.boolean(),
    }),
  ),
);
const isServed = (of: KeyPeriods | null, epoch: number | undefined, now: number) =>
  of === null || findEpochRefusal(of, epoch, now) === null;
/** The most keys that a viewer is given within this time. */
const mostKeys = (of: KeyPeriods | null, seconds: number) =>
  of?.mode === 'sequence' && of.pace ? of.burst + (of.speed * seconds) / of.periodSeconds : Infinity;

test('after a tightening, no key is served that was not served before, and none faster', () => {
  fc.assert(
    fc.property(
      ...[periods, periods, fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined })],
      fc.integer({ min: 0, max: 100_000 }),
      (before, after, epoch, now) => {
        fc.pre(isTightening(before, after));
        if (isServed(after, epoch, now)) expect(isServed(before, epoch, now)).toBe(true);
        for (const seconds of [0, 1, 60, 3_600])
          expect(mostKeys(after, seconds)).toBeLessThanOrEqual(mostKeys(before, seconds));
      },
    ),
    { numRuns: 2_000 },
  );
});
