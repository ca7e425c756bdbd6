import { afterEach, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createUpstream, NotBegun, neverReached, type Upstream } from './index.ts';

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

test('an address that is about to end is asked no more while there is another', () => {
  const { upstream, picked } = open();
  const ending = upstream.pick();
  ending?.retire();
  expect(picked()).not.toContain(ending?.origin);
});

test('an address that is about to end still comes before one that takes no connection', () => {
  const { upstream, picked } = open();
  const ending = upstream.pick();
  ending?.retire();
  upstream.pick()?.penalize();
  expect(new Set(picked())).toEqual(new Set([ending?.origin]));
});

test('what a service that is starting has answered can be asked elsewhere, whatever it was', () => {
  expect(neverReached(new NotBegun())).toBe(true);
});
