import { expect, it } from 'vitest';
import { createVectorIssuer } from '../encrypt/issue-vectors.ts';
import { testPeriods } from '../testing/follow-live.ts';
import { chooseEpoch } from './encrypt-segment.ts';

const { origin } = testPeriods();
const at = (seconds: number) => origin + seconds * 1_000;
/** A segment of 2 s that was seen when it was complete. */
const segment = (programTime: number | undefined, firstSeen: number) => ({
  programTime,
  firstSeen,
  secondsToEnd: 2,
});

it.each([
  ['the moment when it begins, although the next epoch has begun when it is seen', 9.999, 12, 0],
  ['the moment when it begins, if that is the first of an epoch', 10, 12, 1],
  ['the clock, if it is said to begin later', 25, 19, 1],
  ['its own time, if the encoder was late by half a minute', 65, 95, 6],
])('the epoch of a segment follows %s', (_, programTime, now, epoch) => {
  const chosen = chooseEpoch(testPeriods(), segment(at(programTime), at(now)), at(now));
  expect(chosen).toEqual({ epoch, strayed: false });
});

it('a segment without a program time has the epoch of the moment when it was first seen, however late its key arrives', () => {
  expect(chooseEpoch(testPeriods(), segment(undefined, at(19)), at(42)).epoch).toBe(1);
});

it.each([-7_200, 7_200, -1_767_225_600])(
  'a program time that is off by %i s does not choose the key: a revoked viewer would have the keys of that time',
  (offBy) => {
    const chosen = chooseEpoch(testPeriods(), segment(at(10_000 + offBy), at(10_000)), at(10_000));
    expect(chosen).toEqual({ epoch: 1_000, strayed: true });
  },
);

it('a segment of a long window at the start has the epoch of its own time', () => {
  const times = { programTime: at(100), firstSeen: at(4_000), secondsToEnd: 3_900 };
  expect(chooseEpoch(testPeriods(), times, at(4_000))).toEqual({ epoch: 10, strayed: false });
});

it('the epoch of a segment is never one whose key is not served any more', () => {
  const times = { programTime: at(100), firstSeen: at(4_000), secondsToEnd: 3_900 };
  expect(chooseEpoch(testPeriods({ behind: 2 }), times, at(4_000)).epoch).toBe(398);
  expect(chooseEpoch(testPeriods({ behind: 0 }), times, at(4_000)).epoch).toBe(400);
});

it('a segment that begins before the origin of the periods has epoch 0', () => {
  expect(chooseEpoch(testPeriods(), segment(at(-1), at(1)), at(1)).epoch).toBe(0);
});

it('a source of randomness that repeats itself is refused within one epoch, also after a restart', () => {
  const vectors = createVectorIssuer(() => Buffer.alloc(16, 7));
  vectors.issue(3);
  expect(() => vectors.issue(3)).toThrow('repeats itself');
  const restarted = createVectorIssuer(() => Buffer.alloc(16, 7));
  restarted.remember(3, '07'.repeat(16));
  expect(() => restarted.issue(3)).toThrow('repeats itself');
});
