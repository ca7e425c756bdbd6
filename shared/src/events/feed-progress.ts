import type { Clock } from '../clock/index.ts';
import type { Change } from './change.ts';
import type { FeedPage } from './change-feed.ts';
import { continues, differs, type FeedPlace, placeAtEnd, type RowFacts } from './feed-place.ts';
import { authorityLimitMs, type FeedPosition } from './feed-position.ts';
import type { FeedRecord } from './feed-record.ts';
import type { FeedLink } from './message.ts';

/** A reading of the feed that has begun. */
export interface FeedReading {
  /**
   * The number after which it reads; null for the first one, which asks where the feed ends. The last row that was seen is
   * read again: a database that was put back to an earlier state gives its number out anew, for another change.
   */
  readonly after: number | null;
  /** The last row that had been seen. */
  readonly last: FeedPlace | null;
  /** The highest number that had been pushed: its row is committed, so the feed reaches there. 0 before the first push. */
  readonly heardUpTo: number;
  /** Monotonic milliseconds: everything committed before is seen once it has been applied. */
  readonly beganAtMs: number;
}

/** What follows from what was read and heard of the feed: how far it was followed, and what has to be forgotten. */
export interface FeedProgress extends FeedPosition {
  /**
   * A change that was pushed, with the time of its row. It is applied in any case. Only by its link is it known to be the
   * next one of the history that is followed; without that, the pull says so.
   */
  hear(number: number, at: number, change: Change, link?: FeedLink | null): void;
  begin(): FeedReading;
  /**
   * Applies the first reading: from here on everything is followed.
   *
   * @param recalled the changes before it, for the record; they are told to nobody
   * @param history as the page says
   */
  start(reading: FeedReading, head: number, recalled?: FeedPage['changes'], history?: string | null): void;
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

/** Pushed changes remembered until the feed is read: more than a second brings. Beyond this, one may be of another database. */
const heardAtMost = 1_000;
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
  let last: FeedPlace | null = null;
  let seenUpToMs: number | null = null;
  /** The database that is followed, as pages name it; null while none did. */
  let history: string | null = null;
  /** What was pushed beyond the last row, by number: it has to turn up in the feed. */
  const heard = new Map<number, RowFacts>();

  /** Everything has to be forgotten, and is followed from this row on. */
  function restart(place: FeedPlace): FeedPlace {
    const { number, at } = place;
    record?.restart(number, number === 0 ? beginningAt : at, history);
    tell(null);
    return place;
  }

  /** Whether the page is of another history than what was seen: the database was put back, or another one took over. */
  function isOfOtherHistory(page: FeedPage, reading: FeedReading, asked: FeedPlace): boolean {
    const isRenamed = page.history != null && history !== null && page.history !== history;
    if (isRenamed || page.head < asked.number || page.head < reading.heardUpTo) return true;
    return page.changes.some((row) => {
      const pushed = heard.get(row.number);
      return (
        (pushed && differs(row, pushed)) ||
        (row.number === asked.number && differs(row, asked)) ||
        (row.number === last?.number && differs(row, last))
      );
    });
  }

  /** @returns the row up to which everything has been told, and whether it is one of another history than `asked` */
  function tellPage(page: FeedPage, reading: FeedReading): { told: FeedPlace; isOther: boolean } {
    const asked = reading.last ?? { number: 0, at: null, id: null };
    const again = page.changes.find(({ number }) => number === asked.number);
    const changes = page.changes.filter(({ number }) => number > asked.number);
    const isOther = isOfOtherHistory(page, reading, asked);
    history = page.history ?? history;
    if (isOther) heard.clear();
    if (isOther || !continues(changes, again ?? asked, page.head)) {
      // Numbers have no gaps, and each row names the one before it. A gap means that old rows were removed meanwhile. In both
      // cases nobody can say what was missed.
      return { told: restart(placeAtEnd(page, asked)), isOther };
    }
    for (const row of changes) {
      const { number, at, change } = row;
      if (!change) {
        restart(placeOf(row));
        continue;
      }
      record?.add(number, at, change);
      record?.advance(number);
      tell(change);
      onApplied?.(number, at, change);
    }
    return { told: placeOf(changes.at(-1) ?? again ?? asked), isOther: false };
  }

  return {
    hear(number, at, change, link = null) {
      record?.add(number, at, change);
      tell(change);
      onApplied?.(number, at, change);
      if (last === null || number <= last.number) return;
      if (number <= last.number + heardAtMost) heard.set(number, { at, id: link?.id ?? null });
      // Out of order, doubled or of another history, it was a hint all the same; the pull goes on where the unbroken row of
      // numbers ends.
      if (number !== last.number + 1 || link === null || link.previous === null) return;
      if (link.previous !== last.id) return;
      last = { number, at, id: link.id };
      record?.advance(number);
    },
    begin: () => ({
      after: last && Math.max(0, last.number - 1),
      last,
      heardUpTo: Math.max(0, ...heard.keys()),
      beganAtMs: clock.monotonic(),
    }),
    start({ beganAtMs }, head, recalled = [], named = null) {
      history = named;
      restart({ number: head, at: null, id: null });
      const row = recalled.find(({ number }) => number === head);
      last = row ? placeOf(row) : { number: head, at: null, id: null };
      if (record) recall(record, recalled, head, history);
      seenUpToMs = beganAtMs;
      record?.caughtUp();
    },
    apply(reading, page) {
      const { told, isOther } = tellPage(page, reading);
      // A push may have come further meanwhile, unless the database went back.
      if (isOther || last === null || told.number >= last.number) last = told;
      record?.advance(last.number);
      for (const number of heard.keys()) if (number <= last.number) heard.delete(number);
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
