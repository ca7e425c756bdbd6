import { expect, test } from 'vitest';
import { createTally } from './tally.ts';

const asked = (wantedAtMs: number, endedAtMs: number, outcome: string) => ({
  wantedAtMs,
  sentAtMs: wantedAtMs + 1,
  endedAtMs,
  outcome,
});

test('latency counts from when a viewer wanted the key, even if the request was sent later', () => {
  const tally = createTally();
  for (let n = 0; n < 99; n++) tally.add(asked(n, n + 2, '200'));
  tally.add(asked(100, 600, '200'));
  expect(tally.latency()).toEqual({ p50: 2, p99: 2, max: 500 });
});

test('a request without an answer is counted and has no latency', () => {
  const tally = createTally();
  tally.add(asked(0, 10_000, 'unanswered'));
  tally.add(asked(0, 4, '403'));
  tally.add(asked(0, 3, 'broken'));
  expect(tally.statuses()).toEqual({ '403': 1, broken: 1, unanswered: 1 });
  expect(tally.latency().max).toBe(4);
});

test('the last served key is the one whose request was sent last', () => {
  const tally = createTally();
  expect(tally.lastServedSentAtMs()).toBeNull();
  tally.add(asked(50, 90, '200'));
  tally.add(asked(10, 95, '200'));
  tally.add(asked(80, 99, '403'));
  expect(tally.lastServedSentAtMs()).toBe(51);
});
