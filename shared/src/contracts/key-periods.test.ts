import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClockPeriods, SequencePeriods } from './key-periods.ts';
import { findEpochRefusal } from './key-periods.ts';

const origin = Date.UTC(2027, 0, 1);
const live = (fields: Partial<ClockPeriods> = {}): ClockPeriods => ({
  mode: 'clock',
  origin,
  periodSeconds: 10,
  ahead: 1,
  behind: null,
  ...fields,
});
const film: SequencePeriods = {
  mode: 'sequence',
  count: 12,
  periodSeconds: 10,
  burst: 8,
  speed: 2,
  pace: true,
};
const codeOf = (periods: ClockPeriods | SequencePeriods, epoch: number | undefined, seconds = 0) =>
  findEpochRefusal(periods, epoch, origin + seconds * 1_000)?.code ?? 'served';

describe('by the clock', () => {
  test('an epoch becomes current with the millisecond in which it begins, and the one after it is served then', () => {
    expect(codeOf(live(), 1, 0)).toBe('served');
    expect(codeOf(live(), 2, 9.999)).toBe('EPOCH_NOT_YET');
    expect(codeOf(live(), 2, 10)).toBe('served');
    expect(codeOf(live({ ahead: 0 }), 1, 9.999)).toBe('EPOCH_NOT_YET');
    expect(codeOf(live({ ahead: 0 }), 1, 10)).toBe('served');
    expect(codeOf(live({ ahead: 10 }), 11, 10)).toBe('served');
    expect(codeOf(live({ ahead: 10 }), 12, 10)).toBe('EPOCH_NOT_YET');
  });

  test('an epoch that is over is served for `behind` periods more, or without an end where that is null', () => {
    expect(codeOf(live({ behind: 0 }), 4, 49.999)).toBe('served');
    expect(codeOf(live({ behind: 0 }), 4, 50)).toBe('EPOCH_PAST');
    expect(codeOf(live({ behind: 2 }), 4, 69.999)).toBe('served');
    expect(codeOf(live({ behind: 2 }), 4, 70)).toBe('EPOCH_PAST');
    expect(codeOf(live(), 0, 1e9)).toBe('served');
  });

  test('before the origin there is no epoch yet: not even the first is served, until `ahead` periods before', () => {
    expect(codeOf(live({ ahead: 0 }), 0, -0.001)).toBe('EPOCH_NOT_YET');
    expect(codeOf(live({ ahead: 0 }), 0, 0)).toBe('served');
    expect(codeOf(live(), 0, -10.001)).toBe('EPOCH_NOT_YET');
    expect(codeOf(live(), 0, -10)).toBe('served');
    expect(codeOf(live({ behind: 0 }), 0, -1)).toBe('served');
  });

  test('a refusal says which epoch is current, and when the wanted one is served: from that millisecond on it is', () => {
    const refusal = findEpochRefusal(live(), 7, origin + 25_000);
    expect(refusal).toEqual({
      code: 'EPOCH_NOT_YET',
      notYet: { currentEpoch: 2, opensAt: origin + 60_000 },
    });
    fc.assert(
      fc.property(
        fc.record({
          // Beyond it, times are no longer exact to the millisecond.
          epoch: fc.nat(100_000_000),
          periodSeconds: fc.integer({ min: 1, max: 86_400 }),
          ahead: fc.nat(10),
          now: fc.integer({ min: 0, max: 4e12 }),
        }),
        ({ epoch, periodSeconds, ahead, now }) => {
          const periods = live({ periodSeconds, ahead });
          const { notYet } = findEpochRefusal(periods, epoch, now) ?? {};
          if (!notYet) return;
          expect(findEpochRefusal(periods, epoch, notYet.opensAt)).toBeNull();
          expect(findEpochRefusal(periods, epoch, notYet.opensAt - 1)?.code).toBe('EPOCH_NOT_YET');
        },
      ),
    );
  });
});

describe('in sequence', () => {
  test('the epochs below the count are served at any time, and no other', () => {
    for (const epoch of [0, 11]) expect(codeOf(film, epoch)).toBe('served');
    for (const epoch of [12, 4_294_967_295]) expect(codeOf(film, epoch)).toBe('EPOCH_NOT_FOUND');
    expect(codeOf({ ...film, count: 4_294_967_296 }, 4_294_967_295)).toBe('served');
  });
});

test.each([live(), film])('a content with periods has no key without an epoch: %o', (periods) => {
  expect(codeOf(periods, undefined)).toBe('EPOCH_NOT_FOUND');
});
