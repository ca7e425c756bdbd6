import { beforeEach, describe, expect, test } from 'vitest';
import { type Change, createFeedProgress, type FeedProgress, type FeedRow } from '../events/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { RecentChanges } from './recent-changes.ts';

const content = (contentId: string): Change => ({ kind: 'content', contentId });
const names = (tag: string) => [{ cache: 'contents', tag } as const];
/** The row of change `number`: its time is a hundred times its number, and it names the content `named`. */
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
const stamp = (number: number) => ({ number, at: number * 100, history: 'first' });

let recent: RecentChanges;
let progress: FeedProgress;
beforeEach(() => {
  recent = new RecentChanges(10);
  progress = createFeedProgress(createManualClock(), () => {}, recent);
});

function push(number: number, named?: string): void {
  const { at, change } = row(number, named);
  progress.receive(number, at, change, link(number));
}

function pull(head: number, changes: FeedRow[]): void {
  progress.apply(progress.begin(), { head, history: 'first', changes });
}

describe('a record that follows from 5 on', () => {
  beforeEach(() => progress.start(progress.begin(), 5, [row(4), row(5)], 'first'));

  test('the record confirms a state until a change names it, pushed or pulled', () => {
    expect(recent.confirms(stamp(5), names('a'))).toBe(true);
    push(6, 'a');
    pull(7, [row(7, 'b')]);
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    expect(recent.confirms(stamp(6), names('a'))).toBe(true);
    expect(recent.confirms(stamp(7), names('b'))).toBe(true);
    expect(recent.confirms(stamp(5), names('c'))).toBe(true);
  });

  test('the record uses the changes that were recalled at the start, and confirms nothing from before them', () => {
    expect(recent.confirms(stamp(4), names('c5'))).toBe(false);
    expect(recent.confirms(stamp(4), names('a'))).toBe(true);
    expect(recent.confirms(stamp(3), names('a'))).toBe(false);
  });

  test('a change that was pushed out of order stops confirmations, and the record does not continue from it', () => {
    push(8, 'a');
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.stamp()).toEqual(stamp(5));
    expect(recent.confirms(stamp(8), names('b'))).toBe(false);
    push(6, 'a');
    expect(recent.confirms(stamp(6), names('a'))).toBe(false);
  });

  test('a late change with the same number does not replace what the first one named', () => {
    push(6, 'a');
    recent.add(6, row(6).at + 1, row(6, 'b').change as Change);
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    expect(recent.confirms(stamp(6), names('a'))).toBe(true);
  });

  test('the record confirms nothing from before a row that it cannot read', () => {
    pull(7, [{ number: 6, at: 600, ...link(6), change: null }, row(7)]);
    expect(recent.confirms(stamp(5), names('a'))).toBe(false);
    expect(recent.confirms(stamp(6), names('a'))).toBe(true);
    expect(recent.confirms(stamp(6), names('c7'))).toBe(false);
  });

  test('a full record drops its oldest changes, and confirms nothing from before them', () => {
    for (let number = 6; number <= 40; number++) push(number);
    expect(recent.confirms(stamp(30), names('a'))).toBe(false);
    expect(recent.confirms(stamp(31), names('a'))).toBe(true);
    expect(recent.confirms(stamp(31), names('c32'))).toBe(false);
  });

  test('the record confirms again after two readings without the change that was too far ahead', () => {
    push(1_000_000, 'a');
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    // This reading may have begun before the change was received.
    pull(5, [row(5)]);
    expect(recent.confirms(stamp(5), names('b'))).toBe(false);
    pull(5, [row(5)]);
    expect(recent.confirms(stamp(5), names('b'))).toBe(true);
  });

  test('the record keeps a bounded number of changes however often a restored database reuses numbers', () => {
    for (let restore = 1; restore <= 50; restore++) {
      for (let number = 1; number <= 8; number++) push(restore * 1_000 + number);
      pull(restore * 1_000, [row(restore * 1_000)]);
      for (let number = 1; number <= 8; number++) push(restore * 1_000 + number);
      pull(3, []);
    }
    expect(recent.size).toBeLessThanOrEqual(20);
  });

  test('a state of another database is not confirmed, although the change with its number is the same', () => {
    pull(5, [row(5)]);
    progress.apply(progress.begin(), { head: 5, history: 'before', changes: [row(5)] });
    progress.apply(progress.begin(), { head: 5, history: 'restored', changes: [row(5)] });
    expect(recent.confirms({ ...stamp(5), history: 'before' }, names('a'))).toBe(false);
    expect(recent.confirms({ ...stamp(5), history: 'restored' }, names('a'))).toBe(true);
    expect(recent.stamp()).toEqual({ ...stamp(5), history: 'restored' });
  });

  test('a state is stamped with the number at which it is true, or with the last followed number', () => {
    push(6);
    expect(recent.stamp(5)).toEqual(stamp(5));
    expect(recent.stamp(100)).toEqual(stamp(6));
    expect(recent.stamp(3)).toBeNull();
  });
});

test('before the feed is followed nothing is confirmed or stamped, and changes that were pushed by then are not missed', () => {
  push(6, 'a');
  expect([recent.stamp(), recent.confirms(stamp(6), names('b'))]).toEqual([null, false]);
  progress.start(progress.begin(), 5, [row(5)], 'first');
  expect(recent.confirms(stamp(5), names('a'))).toBe(false);
  expect(recent.confirms(stamp(5), names('b'))).toBe(false);
  pull(6, [row(6, 'a')]);
  expect(recent.confirms(stamp(5), names('a'))).toBe(false);
  expect(recent.confirms(stamp(5), names('b'))).toBe(true);
});

test('recalled changes are not used where one of them is missing', () => {
  progress.start(progress.begin(), 5, [row(2), row(4), row(5)], 'first');
  expect(recent.confirms(stamp(2), names('a'))).toBe(false);
  expect(recent.confirms(stamp(4), names('a'))).toBe(false);
});

test('changes that are pushed during the first reading do not invalidate the recalled ones', () => {
  progress.start(progress.begin(), 5, [row(4), row(5), row(6, 'a')], 'first');
  expect(recent.confirms(stamp(4), names('b'))).toBe(true);
  expect(recent.stamp()).toEqual(stamp(5));
});

test('states are confirmed in a feed without changes too', () => {
  progress.start(progress.begin(), 0, [], 'first');
  expect(recent.stamp()).toEqual(stamp(0));
  push(1, 'a');
  expect(recent.confirms(stamp(0), names('b'))).toBe(true);
  expect(recent.confirms(stamp(0), names('a'))).toBe(false);
});
