import type { Clock } from '../clock/index.ts';
import type { Change } from './change.ts';
import type { FeedPage } from './change-feed.ts';
import { authorityLimitMs, type FeedPosition } from './feed-position.ts';
import type { FeedRecord } from './feed-record.ts';

/** A row of the feed: its number, and its time, milliseconds since 1970; null where that is not known. */
interface Place {
  readonly number: number;
  readonly at: number | null;
}

/** A reading of the feed that has begun. */
export interface FeedReading {
  /**
   * The number after which it reads; null for the first one, which asks where the feed ends. The last row that was seen is
   * read again: a database that was put back to an earlier state gives its number out anew, for another change.
   */
  readonly after: number | null;
  /** The last row that had been seen. */
  readonly last: Place | null;
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
  /** How old a state may be that nothing has confirmed since, in milliseconds. */
  readonly limitMs: number;
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
 * @param limitMs how old a state may be that nothing has confirmed since
 */
export function createFeedProgress(
  clock: Clock,
  tell: (change: Change | null) => void,
  record?: FeedRecord,
  onApplied?: (number: number, at: number, change: Change) => void,
  limitMs = authorityLimitMs,
): FeedProgress {
  let last: Place | null = null;
  let seenUpToMs: number | null = null;

  /** Everything has to be forgotten, and is followed from this row on. */
  function restart(place: Place): Place {
    const { number, at } = place;
    record?.restart(number, number === 0 ? beginningAt : at);
    tell(null);
    return place;
  }

  /** @returns the row up to which everything has been told, and whether it is one of another history than `asked` */
  function tellPage(page: FeedPage, asked: Place): { told: Place; isOther: boolean } {
    const again = page.changes.find(({ number }) => number === asked.number);
    const changes = page.changes.filter(({ number }) => number > asked.number);
    const first = changes[0]?.number ?? page.head + 1;
    const wentBack =
      page.head < asked.number || (again !== undefined && asked.at !== null && again.at !== asked.at);
    if (wentBack || first !== asked.number + 1) {
      // Numbers have no gaps. A gap means that old rows were removed meanwhile; a lower head, or another row with the number
      // of the last one, that the database was put back to an earlier state: nobody can say what was missed.
      const { number, at } = page.changes.at(-1) ?? { number: page.head, at: null };
      return { told: restart({ number, at }), isOther: wentBack };
    }
    for (const { number, at, change } of changes) {
      if (!change) {
        restart({ number, at });
        continue;
      }
      record?.add(number, at, change);
      record?.advance(number);
      tell(change);
      onApplied?.(number, at, change);
    }
    const { number, at } = changes.at(-1) ?? again ?? asked;
    return { told: { number, at }, isOther: false };
  }

  return {
    hear(number, at, change) {
      record?.add(number, at, change);
      tell(change);
      onApplied?.(number, at, change);
      // Out of order or doubled, it was a hint all the same; the pull goes on where the unbroken row of numbers ends.
      if (last === null || number !== last.number + 1) return;
      last = { number, at };
      record?.advance(number);
    },
    begin: () => ({ after: last && Math.max(0, last.number - 1), last, beganAtMs: clock.monotonic() }),
    start({ beganAtMs }, head, recalled = []) {
      restart({ number: head, at: null });
      last = { number: head, at: recalled.find(({ number }) => number === head)?.at ?? null };
      if (record) recall(record, recalled, head);
      seenUpToMs = beganAtMs;
      record?.caughtUp();
    },
    apply(reading, page) {
      const { told, isOther } = tellPage(page, reading.last ?? { number: 0, at: null });
      // A push may have come further meanwhile, unless the database went back.
      if (isOther || last === null || told.number >= last.number) last = told;
      record?.advance(last.number);
      if (last.number < page.head) return false;
      seenUpToMs = reading.beganAtMs;
      record?.caughtUp();
      return true;
    },
    vouchesFor(heldAtMs) {
      const nowMs = clock.monotonic();
      if (nowMs - heldAtMs <= limitMs) return true;
      return seenUpToMs !== null && nowMs - seenUpToMs <= limitMs;
    },
    limitMs,
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
