import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { stopTime } from '../testing/stop-time.ts';
import { createInProcessBus } from './bus.ts';
import type { Change } from './change.ts';
import type { FeedRow } from './change-feed.ts';
import { createFeedFollower } from './feed-follower.ts';

const change = (contentId: string): Change => ({ kind: 'content', contentId });

async function follow() {
  const time = stopTime();
  const rows: FeedRow[] = [];
  let readings = 0;
  const feed = {
    head: async () => rows.length,
    since: async (number: number) => {
      readings++;
      return { head: rows.length, changes: rows.slice(number) };
    },
  };
  const bus = createInProcessBus(() => {});
  const follower = createFeedFollower({ feed, bus, clock: createManualClock() });
  onTestFinished(() => follower.stop());
  const received: (Change | null)[] = [];
  await follower.pull();
  follower.onChange((named) => void received.push(named));
  const begun = readings;
  return { time, rows, bus, follower, received, readings: () => readings - begun };
}

test('ten thousand unsealed changes drop no state, and make the feed be read once', async () => {
  const { time, bus, follower, received, readings } = await follow();
  for (let i = 0; i < 10_000; i++) bus.publish({ type: 'hint', change: change('film') });
  time.advance(1_000);
  await follower.pull();
  expect(received).toEqual([]);
  expect(readings()).toBe(1);
});

test('an unsealed change makes the feed be read, and its own content is ignored', async () => {
  const { time, rows, bus, follower, received } = await follow();
  rows.push({ number: 1, at: 1, change: change('series') });
  bus.publish({ type: 'hint', change: change('film') });
  time.advance(100);
  // Shares the reading that the hint began.
  await follower.pull();
  expect(received).toEqual([change('series')]);
});

test('a follower that has been stopped reads nothing for a hint that came before', async () => {
  const { time, bus, follower, readings } = await follow();
  bus.publish({ type: 'hint', change: change('film') });
  follower.stop();
  time.advance(1_000);
  expect(readings()).toBe(0);
});
