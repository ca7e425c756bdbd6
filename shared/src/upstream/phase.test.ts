import { afterEach, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createUpstream, NotStarted, type Upstream } from './index.ts';
import { neverReached } from './never-reached.ts';

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

function open(): { upstream: Upstream; clock: ReturnType<typeof createManualClock>; picked: () => string[] } {
  const clock = createManualClock();
  const urls = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
  const opened = createUpstream({ urls, lookup: async () => [], clock, connections: 1, onFault: () => {} });
  upstream = opened;
  return {
    upstream: opened,
    clock,
    picked: () => Array.from({ length: 4 }, () => opened.pick()?.origin ?? ''),
  };
}

test('an address that is about to end gets no request while there is another', () => {
  const { upstream, picked } = open();
  const ending = upstream.pick();
  ending?.notePhase('ending');
  expect(picked()).not.toContain(ending?.origin);
});

test('an address that is about to end still comes before one that takes no connection', () => {
  const { upstream, picked } = open();
  const ending = upstream.pick();
  ending?.notePhase('ending');
  upstream.pick()?.penalize();
  expect(new Set(picked())).toEqual(new Set([ending?.origin]));
});

test.each(['unsure', 'starting'])(
  'an address that is %s is asked by one request a second, until it is not',
  (phase) => {
    const { upstream, clock, picked } = open();
    const doubtful = upstream.pick();
    doubtful?.notePhase(phase);
    expect(picked()).not.toContain(doubtful?.origin);
    clock.advance(1_000);
    expect(picked().filter((origin) => origin === doubtful?.origin)).toHaveLength(1);
    clock.advance(1_000);
    expect(picked().filter((origin) => origin === doubtful?.origin)).toHaveLength(1);
    doubtful?.notePhase(undefined);
    expect(picked().filter((origin) => origin === doubtful?.origin)).toHaveLength(2);
  },
);

test('where every address is unsure, all take turns, and no address counts as healthy', () => {
  const { upstream, picked } = open();
  for (let turn = 0; turn < 2; turn++) upstream.pick()?.notePhase('unsure');
  expect(upstream.pickHealthy()).toBeNull();
  expect(new Set(picked()).size).toBe(2);
});

test('a request that a starting service answered goes to another address, whatever its method', () => {
  expect(neverReached(new NotStarted())).toBe(true);
});
