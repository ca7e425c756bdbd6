import type { Clock } from '../clock/clock.ts';
import type { AwaitedPlace } from './applied-waits.ts';
import type { Change } from './change.ts';
import {
  continues,
  differs,
  type FeedPage,
  type FeedPlace,
  placeAtEnd,
  type RowFacts,
} from './change-feed.ts';
import { authorityLimitMs, type FeedRecord, listedForMs } from './feed-position.ts';
import type { FeedLink } from './message.ts';

/** A read of the feed that has begun. */
export interface FeedReading {
  /**
   * The number after which it reads; null for the first read, which finds the feed's end. The last known row is read
   * again: a restored database reuses its number for another change.
   */
  readonly after: number | null;
  /** The last known row. */
  readonly last: FeedPlace | null;
  /** The highest pushed number: its row is committed, so the feed reaches at least there. 0 before the first push. */
  readonly pushedUpTo: number;
  /** Monotonic milliseconds: once this read is applied, every change committed before this instant has been seen. */
  readonly beganAtMs: number;
}

export type FeedProgress = ReturnType<typeof createFeedProgress>;

/**
 * Maximum number of pushed changes kept until the feed is read: more than a second brings. A number beyond it may belong
 * to another database.
 */
const pushedAtMost = 1_000;
/** The time of row number 0, which marks the beginning and does not exist. */
const beginningAt = 0;

/**
 * Decides from what was pulled and pushed how far the feed was followed, and which states to drop.
 *
 * @param notify called with every change, and with `null` where changes may have been missed and every state has to be
 *   dropped
 * @param record receives the same with the numbers
 * @param onApplied called for each change once it was applied
 * @param limitMs maximum age of a state that nothing has confirmed since
 */
export function createFeedProgress(
  clock: Clock,
  notify: (change: Change | null) => void,
  record?: FeedRecord,
  onApplied?: (number: number, at: number, change: Change) => void,
  limitMs = authorityLimitMs,
) {
  let last: FeedPlace | null = null;
  const seen = createAges(clock, limitMs);
  /** The followed database, as pages name it; null before the first page. */
  let history: string | null = null;
  /** Changes pushed beyond the last row, by number: each has to appear in the feed. */
  const pushed = new Map<number, RowFacts>();

  /** Drops every state, and continues from this row. */
  function restart(place: FeedPlace): FeedPlace {
    record?.restart(place.number, place.number === 0 ? beginningAt : place.at, history);
    notify(null);
    return place;
  }

  function pass(number: number, at: number, change: Change, isInOrder: boolean): void {
    record?.add(number, at, change);
    if (isInOrder) record?.advance(number);
    notify(change);
    onApplied?.(number, at, change);
  }

  return {
    /**
     * Takes a pushed change with the time of its row, and always applies it. Only its link shows that it is the next change
     * of the followed history.
     */
    receive(number: number, at: number, change: Change, link: FeedLink): void {
      pass(number, at, change, false);
      if (last === null || number <= last.number) return;
      if (number <= last.number + pushedAtMost) pushed.set(number, { at, id: link.id });
      // A message out of order, doubled or of another history still serves as a hint. The pull continues at the end of
      // the unbroken sequence of numbers.
      if (number !== last.number + 1 || link.previous === null || link.previous !== last.id) return;
      last = { number, at, id: link.id };
      record?.advance(number);
    },
    begin: (): FeedReading => ({
      after: last && Math.max(0, last.number - 1),
      last,
      pushedUpTo: Math.max(0, ...pushed.keys()),
      beganAtMs: clock.monotonic(),
    }),
    /**
     * Applies the first read: from here on every change is followed.
     *
     * @param recalled the changes before it, for the record only
     * @param named the history, as in the page
     */
    start({ beganAtMs }: FeedReading, head: number, recalled: FeedPage['changes'], named: string): void {
      history = named;
      restart({ number: head, at: null, id: null });
      last = placeOf(recalled.find(({ number }) => number === head) ?? { number: head, at: null });
      if (record) recall(record, recalled, head, history);
      seen.note(beganAtMs);
      record?.caughtUp();
    },
    /**
     * Applies a page.
     * @returns whether every change has been seen; else the next page has to be read
     */
    apply(reading: FeedReading, page: FeedPage): boolean {
      const isOther = isOfOtherHistory(page, reading, { last, history, pushed });
      history = page.history;
      if (isOther) pushed.clear();
      const reached = applyPage(page, reading, isOther, restart, pass);
      // A push may have advanced further meanwhile, unless the database went back.
      if (isOther || last === null || reached.number >= last.number) last = reached;
      record?.advance(last.number);
      for (const number of pushed.keys()) if (number <= last.number) pushed.delete(number);
      if (last.number < page.head) return false;
      seen.note(reading.beganAtMs);
      record?.caughtUp();
      return true;
    },
    /** Every change up to this number of this history has been applied; null before the first read. */
    place: (): AwaitedPlace | null =>
      last === null || history === null ? null : { number: last.number, history },
    ...seen.ages,
  };
}

/** Gives the record the changes up to the head, as far back as none is missing. */
function recall(
  record: FeedRecord,
  recalled: FeedPage['changes'],
  head: number,
  history: string | null,
): void {
  const rows = recalled.filter(({ number }) => number <= head);
  const first = rows[0];
  if (!first || rows.length !== head - first.number + 1) return;
  record.restart(first.number, first.at, history);
  for (const { number, at, change } of rows) {
    if (!change) record.restart(number, at, history);
    else record.add(number, at, change);
    record.advance(number);
  }
}

function placeOf({
  number,
  at,
  id = null,
}: {
  number: number;
  at: number | null;
  id?: string | null;
}): FeedPlace {
  return { number, at, id };
}

/** The known facts of the history that is followed. */
interface Followed {
  last: FeedPlace | null;
  history: string | null;
  pushed: ReadonlyMap<number, RowFacts>;
}

const firstOf = (reading: FeedReading): FeedPlace => reading.last ?? { number: 0, at: null, id: null };

/** Whether the page is of another history than what was seen: the database was put back, or another one took over. */
function isOfOtherHistory(
  page: FeedPage,
  reading: FeedReading,
  { last, history, pushed }: Followed,
): boolean {
  const asked = firstOf(reading);
  const isRenamed = history !== null && page.history !== history;
  if (isRenamed || page.head < asked.number || page.head < reading.pushedUpTo) return true;
  return page.changes.some((row) => {
    const announced = pushed.get(row.number);
    return (
      (announced && differs(row, announced)) ||
      (row.number === asked.number && differs(row, asked)) ||
      (row.number === last?.number && differs(row, last))
    );
  });
}

/** @returns the row up to which every change has been applied */
function applyPage(
  page: FeedPage,
  reading: FeedReading,
  isOther: boolean,
  restart: (place: FeedPlace) => FeedPlace,
  pass: (number: number, at: number, change: Change, isInOrder: boolean) => void,
): FeedPlace {
  const asked = firstOf(reading);
  const again = page.changes.find(({ number }) => number === asked.number);
  const changes = page.changes.filter(({ number }) => number > asked.number);
  if (isOther || !continues(changes, again ?? asked, page.head)) {
    // Numbers have no gaps, and each row names the one before it. A gap means that old rows were removed meanwhile. In
    // both cases the missed changes are unknown.
    return restart(placeAtEnd(page, asked));
  }
  for (const row of changes) {
    const { number, at, change } = row;
    if (!change) {
      restart(placeOf(row));
      continue;
    }
    pass(number, at, change, true);
  }
  return placeOf(changes.at(-1) ?? again ?? asked);
}

/** How old what was seen is. */
function createAges(clock: Clock, limitMs: number) {
  let seenUpToMs: number | null = null;
  return {
    note(atMs: number): void {
      seenUpToMs = atMs;
    },
    ages: {
      /** Maximum age of a state that nothing has confirmed since, in milliseconds. */
      limitMs,
      /** As in `FeedPosition`. */
      vouchesFor(heldAtMs: number): boolean {
        if (seenUpToMs === null) return false;
        const nowMs = clock.monotonic();
        const seenAgeMs = nowMs - seenUpToMs;
        if (seenAgeMs <= limitMs) return true;
        return nowMs - heldAtMs <= limitMs && seenAgeMs <= listedForMs;
      },
      /** Milliseconds since every change was last known to be seen; null before the first read. */
      ageMs: () => (seenUpToMs === null ? null : clock.monotonic() - seenUpToMs),
      /** Monotonic milliseconds: every change that was committed before this instant has been seen; null before the first read. */
      seenUpToMs: () => seenUpToMs,
    },
  };
}
