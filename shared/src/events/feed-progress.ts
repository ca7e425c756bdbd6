import type { Clock } from '../clock/index.ts';
import type { Change } from './change.ts';
import type { FeedPage } from './change-feed.ts';
import { authorityLimitMs, type FeedPosition } from './feed-position.ts';
import type { FeedRecord } from './feed-record.ts';

/** A reading of the feed that has begun. */
export interface FeedReading {
  /** The number after which it reads; null for the first one, which asks where the feed ends. */
  readonly after: number | null;
  /** Monotonic milliseconds: everything committed before is seen once it has been applied. */
  readonly beganAtMs: number;
}

/** What follows from what was read and heard of the feed: how far it was followed, and what has to be forgotten. */
export interface FeedProgress extends FeedPosition {
  /** A change that was pushed, with the time of its row. */
  hear(number: number, at: number, change: Change): void;
  begin(): FeedReading;
  /**
   * Applies the first reading: from here on everything is followed.
   *
   * @param recalled the changes before it, for the record; they are told to nobody
   */
  start(reading: FeedReading, head: number, recalled?: FeedPage['changes']): void;
  /**
   * Applies a page.
   * @returns whether everything has been seen; else the next page is to be read
   */
  apply(reading: FeedReading, page: FeedPage): boolean;
  /** Milliseconds since everything was last known to have been seen; null before the first reading. */
  ageMs(): number | null;
  /** Monotonic milliseconds: every change that was committed before has been seen; null before the first reading. */
  seenUpToMs(): number | null;
}

/** The time that stands for the row of number 0, which is the beginning and no row. */
const beginningAt = 0;

/**
 * @param tell hears every change, and `null` where changes may have been missed and everything has to be forgotten
 * @param record is told the same with the numbers
 * @param onApplied hears of each change once it has been told
 */
export function createFeedProgress(
  clock: Clock,
  tell: (change: Change | null) => void,
  record?: FeedRecord,
  onApplied?: (number: number, at: number, change: Change) => void,
): FeedProgress {
  let lastNumber: number | null = null;
  let seenUpToMs: number | null = null;

  /** Everything has to be forgotten, and is followed from this row on. */
  function restart(number: number, at: number | null): void {
    record?.restart(number, number === 0 ? beginningAt : at);
    tell(null);
  }

  /** @returns the number up to which everything has been told */
  function tellPage(page: FeedPage, asked: number): number {
    const first = page.changes[0]?.number ?? page.head + 1;
    if (page.head < asked || first !== asked + 1) {
      // Numbers have no gaps. A gap means that old rows were removed meanwhile, a lower head that the database was put
      // back to an earlier state: in both cases nobody can say what was missed.
      const last = page.changes.at(-1);
      restart(last?.number ?? page.head, last?.at ?? null);
      return last?.number ?? page.head;
    }
    for (const { number, at, change } of page.changes) {
      if (!change) {
        restart(number, at);
        continue;
      }
      record?.add(number, at, change);
      record?.advance(number);
      tell(change);
      onApplied?.(number, at, change);
    }
    return asked + page.changes.length;
  }

  return {
    hear(number, at, change) {
      record?.add(number, at, change);
      tell(change);
      onApplied?.(number, at, change);
      // Out of order or doubled, it was a hint all the same; the pull goes on where the unbroken row of numbers ends.
      if (lastNumber === null || number !== lastNumber + 1) return;
      lastNumber = number;
      record?.advance(number);
    },
    begin: () => ({ after: lastNumber, beganAtMs: clock.monotonic() }),
    start({ beganAtMs }, head, recalled = []) {
      lastNumber = head;
      restart(head, null);
      if (record) recall(record, recalled, head);
      seenUpToMs = beganAtMs;
    },
    apply({ after, beganAtMs }, page) {
      const asked = after ?? 0;
      const toldUpTo = tellPage(page, asked);
      // A push may have come further meanwhile, unless the database went back.
      lastNumber = page.head < asked ? toldUpTo : Math.max(lastNumber ?? 0, toldUpTo);
      record?.advance(lastNumber);
      if (lastNumber < page.head) return false;
      seenUpToMs = beganAtMs;
      return true;
    },
    vouchesFor(heldAtMs) {
      const nowMs = clock.monotonic();
      if (nowMs - heldAtMs <= authorityLimitMs) return true;
      return seenUpToMs !== null && nowMs - seenUpToMs <= authorityLimitMs;
    },
    ageMs: () => (seenUpToMs === null ? null : clock.monotonic() - seenUpToMs),
    seenUpToMs: () => seenUpToMs,
  };
}

/** Gives the record the changes up to the head, as far back as nothing is missing. */
function recall(record: FeedRecord, recalled: FeedPage['changes'], head: number): void {
  const rows = recalled.filter(({ number }) => number <= head);
  const first = rows[0];
  if (!first || rows.length !== head - first.number + 1) return;
  record.restart(first.number, first.at);
  for (const { number, at, change } of rows) {
    if (!change) record.restart(number, at);
    else record.add(number, at, change);
    record.advance(number);
  }
}
