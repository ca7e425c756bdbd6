import { expect, it } from 'vitest';
import type { ClockPeriods, SequencePeriods } from '../../api/schema.ts';
import {
  describeCurrent,
  describeNext,
  describePace,
  describeRest,
  describeServed,
  formatSeconds,
  keyWindowOf,
} from './key-windows.ts';

const origin = Date.parse('2027-01-31T12:00:00Z');
const clock: ClockPeriods = {
  ...{ mode: 'clock', origin: '2027-01-31T12:00:00Z', periodSeconds: 10 },
  ...{ ahead: 1, behind: 2 },
};
const at = (seconds: number) => origin + seconds * 1_000;

it.each([
  [0, 0, [0, 1], 10],
  [9.999, 0, [0, 1], 10],
  [10, 1, [0, 2], 20],
  [45, 4, [2, 5], 50],
  [-0.001, -1, [0, 0], 0],
  [-10.001, -2, null, -10],
])(
  'at %d s after the origin the current epoch is %d, and %j are served',
  (seconds, current, served, nextAt) => {
    expect(keyWindowOf(clock, at(seconds))).toEqual({ current, served, nextAt: at(nextAt) });
  },
);

it.each([
  [45, '4', 'epochs 2 to 5', 'epoch 5 in 5 s'],
  [-5, 'none before epoch 0 begins', 'epoch 0', 'epoch 0 in 5 s'],
  [-75, 'none before epoch 0 begins', 'none now', 'epoch 0 in 1 min 15 s'],
])('a live channel %d s after its origin is described in words', (seconds, current, served, next) => {
  expect(describeCurrent(clock, at(seconds))).toBe(current);
  expect(describeServed(clock, at(seconds))).toBe(served);
  expect(describeNext(clock, at(seconds))).toBe(next);
});

it('without a bound behind, every epoch up to the one ahead is served', () => {
  expect(describeServed({ ...clock, behind: null, ahead: 0 }, at(45))).toBe('epochs 0 to 4');
  expect(describeServed({ ...clock, behind: 0, ahead: 0 }, at(45))).toBe('epoch 4');
});

it('after the last epoch of 32 bits there is no current one', () => {
  const old: ClockPeriods = { ...clock, origin: '0001-01-01T00:00:00Z', periodSeconds: 1 };
  expect(describeCurrent(old, origin)).toBe('none: the last one is over');
  expect(describeServed(old, origin)).toBe('none now');
  expect(describeNext(old, origin)).toBe('none: the last one has begun');
});

const film: SequencePeriods = {
  ...{ mode: 'sequence', count: 120, periodSeconds: 60 },
  ...{ burst: 8, speed: 2, pace: true },
};

it('the pace of a sequence is described in words, with what a revoked viewer holds', () => {
  expect(describePace(film)).toBe('At most 8 keys at once, then 2 keys every 1 min 00 s.');
  expect(describeRest(film)).toBe(
    'It holds the keys of at most 8 epochs, 8 min 00 s, beyond what plays by then at 2× speed.',
  );
  expect(describeRest({ ...film, periodSeconds: 60.06 })).toMatch(/8 epochs, 8 min 00 s,/);
  expect(describePace({ ...film, burst: 1, speed: 1 })).toBe(
    'At most 1 key at once, then 1 key every 1 min 00 s.',
  );
  expect(describeRest({ ...film, burst: 1, speed: 1 })).toMatch(/at most 1 epoch, beyond/);
});

it('a sequence without a pace, or shorter than the burst, reports that a viewer may hold every key', () => {
  expect(describePace({ ...film, pace: false })).toMatch(/Not bounded/);
  expect(describeRest({ ...film, pace: false })).toBe('It may hold every key.');
  expect(describeRest({ ...film, count: 8 })).toBe('It may hold every key.');
});

it('lengths in seconds are shown in readable units, and exactly below a second', () => {
  expect([10, 60, 60.06, 0.5, 480.48000000000002].map(formatSeconds)).toEqual([
    ...['10 s', '1 min 00 s', '60.06 s', '0.5 s', '480.48 s'],
  ]);
});
