import { expect, test } from 'vitest';
import { createTally } from './tally.ts';

const asked = (wantedAtMs: number, endedAtMs: number, outcome: string) => ({
  wantedAtMs,
  sentAtMs: wantedAtMs + 1,
  endedAtMs,
  outcome,
});

test('a wait counts from when the key was wanted, also where it could only be asked for later', () => {
  const tally = createTally();
  for (let n = 0; n < 99; n++) tally.add(asked(n, n + 2, '200'));
  tally.add(asked(100, 600, '200'));
  expect(tally.latency()).toEqual({ p50: 2, p99: 2, max: 500 });
});

test('what was not answered has a count and no latency', () => {
  const tally = createTally();
  tally.add(asked(0, 10_000, 'unanswered'));
  tally.add(asked(0, 4, '403'));
  tally.add(asked(0, 3, 'broken'));
  expect(tally.statuses()).toEqual({ '403': 1, broken: 1, unanswered: 1 });
  expect(tally.latency().max).toBe(4);
});

test('the last key that was served is known by when it was asked for', () => {
  const tally = createTally();
  expect(tally.lastServedSentAtMs()).toBeNull();
  tally.add(asked(50, 90, '200'));
  tally.add(asked(10, 95, '200'));
  tally.add(asked(80, 99, '403'));
  expect(tally.lastServedSentAtMs()).toBe(51);
});
