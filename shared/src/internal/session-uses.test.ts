import { expect, test } from 'vitest';
import { createLeaseState } from '../testing/lease-state.ts';
import { createSessionUses } from './session-uses.ts';

const session = createLeaseState({ session: { secretHash: 'a'.repeat(64), extendFrom: 1_000 } });

/** Uses whose reports fail while `isAway`. */
function setUp() {
  const reports: [string, number][][] = [];
  const faults: unknown[] = [];
  const reported: string[] = [];
  const state = { isAway: false };
  const uses = createSessionUses({
    report: async (part) => {
      if (state.isAway) throw new Error('away');
      reports.push([...part]);
    },
    onFault: (error) => void faults.push(error),
    onReported: (leaseId) => void reported.push(leaseId),
  });
  return { uses, reports, faults, reported, state };
}

test('a use is reported once it would extend its session, with the time of the latest one', async () => {
  const { uses, reports, reported } = setUp();
  uses.noteUse('early', session, 999);
  uses.noteUse('player', createLeaseState(), 5_000);
  await uses.flush();
  expect(reports).toEqual([]);
  for (const usedAt of [1_000, 3_000, 2_000]) uses.noteUse('due', session, usedAt);
  await uses.flush();
  await uses.flush();
  expect(reports).toEqual([[['due', 3_000]]]);
  expect(reported).toEqual(['due']);
});

test('uses that could not be reported are kept for the next time, and noting a use never fails or waits', async () => {
  const { uses, reports, faults, state, reported } = setUp();
  state.isAway = true;
  for (let n = 0; n < 1_200; n++) uses.noteUse(`s${n}`, session, 2_000);
  await uses.flush();
  expect([faults.length, reported]).toEqual([1, []]);
  uses.noteUse('s7', session, 4_000);
  state.isAway = false;
  await uses.flush();
  expect(reports.map((part) => part.length)).toEqual([500, 500, 200]);
  expect(new Map(reports.flat()).get('s7')).toBe(4_000);
});

test('the uses that are kept are bounded, however many sessions are used while reports fail', async () => {
  const { uses, reports, state } = setUp();
  state.isAway = true;
  for (let n = 0; n < 30_000; n++) uses.noteUse(`s${n}`, session, 2_000);
  await uses.flush();
  for (let n = 30_000; n < 60_000; n++) uses.noteUse(`s${n}`, session, 2_000);
  state.isAway = false;
  await uses.flush();
  expect(reports.flat()).toHaveLength(20_000);
});

test('a use that is noted while a report is under way is in the next one', async () => {
  const parts: string[][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const uses = createSessionUses({
    report: async (part) => {
      parts.push([...part.keys()]);
      await promise;
    },
    onFault: () => {},
  });
  uses.noteUse('first', session, 2_000);
  const first = uses.flush();
  uses.noteUse('second', session, 2_000);
  const last = uses.flush();
  resolve();
  await Promise.all([first, last]);
  expect(parts).toEqual([['first'], ['second']]);
});
