import { beforeEach, describe, expect, test } from 'vitest';
import { type Change, createFeedProgress, type FeedProgress, type FeedRow } from '../events/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { RecentChanges } from './recent-changes.ts';

const content = (contentId: string): Change => ({ kind: 'content', contentId });
const names = (tag: string) => [{ cache: 'contents', tag } as const];
/** The row of change `number`: its time is a hundred times its number, and it names what it is told to. */
const row = (number: number, named = `c${number}`) => ({
  number,
  at: number * 100,
  ...link(number),
  change: content(named),
});
/** The row of a history, and the one before it there. */
const link = (number: number, history = 'first', before = history) => ({
  id: `${history} ${number}`,
  previous: `${before} ${number - 1}`,
});
const stamp = (number: number) => ({ number, at: number * 100 });

let recent: RecentChanges;
let progress: FeedProgress;
beforeEach(() => {
  recent = new RecentChanges(10);
  progress = createFeedProgress(createManualClock(), () => {}, recent);
});

function hear(number: number, named?: string): void {
  const { at, change } = row(number, named);
  progress.hear(number, at, change, link(number));
}

function pull(head: number, changes: FeedRow[]): void {
  progress.apply(progress.begin(), { head, changes });
}

describe('a record that follows from 5 on', () => {
  beforeEach(() => progress.start(progress.begin(), 5, [row(4), row(5)]));

  test('confirms a state until a change names it, heard or pulled', () => {
    expect(recent.confirms(stamp(5), names('a'))).toBe(true);
    hear(6, 'a');
    pull(7, [row(7, 'b')]);
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    expect(recent.confirms(stamp(6), names('a'))).toBe(true);
    expect(recent.confirms(stamp(7), names('b'))).toBe(true);
    expect(recent.confirms(stamp(5), names('c'))).toBe(true);
  });

  test('knows the changes that it was told of from before it began, and nothing from before those', () => {
    expect(recent.confirms(stamp(4), names('c5'))).toBe(false);
    expect(recent.confirms(stamp(4), names('a'))).toBe(true);
    expect(recent.confirms(stamp(3), names('a'))).toBe(false);
  });

  test('does not confirm against a change that it heard before its turn, nor go on from there', () => {
    hear(8, 'a');
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.stamp()).toEqual(stamp(5));
    expect(recent.confirms(stamp(8), names('b'))).toBe(false);
    hear(6, 'a');
    expect(recent.confirms(stamp(6), names('a'))).toBe(false);
  });

  test('does not forget what a change named because another one comes late with its number', () => {
    hear(6, 'a');
    recent.add(6, row(6).at + 1, row(6, 'b').change as Change);
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    expect(recent.confirms(stamp(6), names('a'))).toBe(true);
  });

  test('does not confirm a state from further on than it is', () => {
    hear(7);
    expect(recent.confirms(stamp(7), names('a'))).toBe(false);
  });

  test('does not confirm a state of another history, in which the same number was another change', () => {
    expect(recent.confirms({ number: 5, at: 501 }, names('a'))).toBe(false);
    // The database was put back to 2, and goes on from there with other changes.
    pull(2, []);
    pull(2, [row(2)]);
    for (const number of [3, 4, 5, 6]) {
      const before = number === 3 ? 'first' : 'other';
      progress.hear(number, number * 100 + 7, content('other'), link(number, 'other', before));
    }
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.confirms({ number: 5, at: 507 }, names('a'))).toBe(true);
  });

  test('confirms nothing from before a gap, and keeps what it heard from beyond it', () => {
    hear(12, 'a');
    pull(11, [row(10), row(11)]);
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    expect(recent.confirms(stamp(10), names('b'))).toBe(false);
    expect(recent.confirms(stamp(11), names('b'))).toBe(true);
    expect(recent.confirms(stamp(11), names('a'))).toBe(false);
  });

  test('confirms nothing from before a row that is no change of ours', () => {
    pull(7, [{ number: 6, at: 600, change: null }, row(7)]);
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.confirms(stamp(6), names('a'))).toBe(true);
    expect(recent.confirms(stamp(6), names('c7'))).toBe(false);
  });

  test('forgets its oldest changes beyond its capacity, and confirms nothing across them', () => {
    for (let number = 6; number <= 40; number++) hear(number);
    expect(recent.confirms(stamp(30), names('a'))).toBe(false);
    expect(recent.confirms(stamp(31), names('a'))).toBe(true);
    expect(recent.confirms(stamp(31), names('c32'))).toBe(false);
  });

  test('confirms nothing while it knows of a change too far ahead to be kept', () => {
    hear(100, 'a');
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    pull(
      100,
      Array.from({ length: 95 }, (_, i) => row(6 + i)),
    );
    expect(recent.confirms(stamp(100), names('b'))).toBe(true);
  });

  test('confirms again once two readings have shown that a change too far ahead is not in the feed', () => {
    hear(1_000_000, 'a');
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    // This reading may have begun before the change was received.
    pull(5, [row(5)]);
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    pull(5, [row(5)]);
    expect(recent.confirms(stamp(5), names('b'))).toBe(true);
  });

  test('keeps no more changes however often the database goes back and its numbers begin again', () => {
    for (let restore = 1; restore <= 50; restore++) {
      for (let number = 1; number <= 8; number++) hear(restore * 1_000 + number);
      pull(restore * 1_000, [row(restore * 1_000)]);
      for (let number = 1; number <= 8; number++) hear(restore * 1_000 + number);
      pull(3, []);
    }
    expect(recent.size).toBeLessThanOrEqual(20);
  });

  test('confirms no state of another database, though the change with its number is the same one', () => {
    pull(5, [row(5)]);
    progress.apply(progress.begin(), { head: 5, history: 'before', changes: [row(5)] });
    progress.apply(progress.begin(), { head: 5, history: 'restored', changes: [row(5)] });
    expect(recent.confirms({ ...stamp(5), history: 'before' }, names('a'))).toBe(false);
    expect(recent.confirms({ ...stamp(5), history: 'restored' }, names('a'))).toBe(true);
    expect(recent.stamp()).toEqual({ ...stamp(5), history: 'restored' });
  });

  test('stamps a state with the number that it is true at, or with the last it has come to', () => {
    hear(6);
    expect(recent.stamp(5)).toEqual(stamp(5));
    expect(recent.stamp(100)).toEqual(stamp(6));
    expect(recent.stamp(3)).toBeNull();
  });
});

test('before the feed is followed nothing is confirmed or stamped, and what was heard by then is not missed', () => {
  hear(6, 'a');
  expect([recent.stamp(), recent.confirms(stamp(6), names('b'))]).toEqual([null, false]);
  progress.start(progress.begin(), 5, [row(5)]);
  expect(recent.confirms(stamp(5), names('a'))).toBe(false);
  expect(recent.confirms(stamp(5), names('b'))).toBe(false);
  pull(6, [row(6, 'a')]);
  expect(recent.confirms(stamp(5), names('a'))).toBe(false);
  expect(recent.confirms(stamp(5), names('b'))).toBe(true);
});

test('changes before the first reading are not believed to be all where one is missing', () => {
  progress.start(progress.begin(), 5, [row(2), row(4), row(5)]);
  expect(recent.confirms(stamp(2), names('a'))).toBe(false);
  expect(recent.confirms(stamp(4), names('a'))).toBe(false);
});

test('changes that came while the latest were being read do not spoil those', () => {
  progress.start(progress.begin(), 5, [row(4), row(5), row(6, 'a')]);
  expect(recent.confirms(stamp(4), names('b'))).toBe(true);
  expect(recent.stamp()).toEqual(stamp(5));
});

test('the beginning of a feed without changes is a place too', () => {
  progress.start(progress.begin(), 0);
  expect(recent.stamp()).toEqual({ number: 0, at: 0 });
  hear(1, 'a');
  expect(recent.confirms({ number: 0, at: 0 }, names('b'))).toBe(true);
  expect(recent.confirms({ number: 0, at: 0 }, names('a'))).toBe(false);
});
