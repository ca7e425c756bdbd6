import type { Clock } from '../clock/index.ts';
import type { Change } from './change.ts';
import type { FeedPage } from './change-feed.ts';
import { authorityLimitMs, type FeedPosition } from './feed-position.ts';

/** A reading of the feed that has begun. */
export interface FeedReading {
  /** The number after which it reads; null for the first one, which asks where the feed ends. */
  readonly after: number | null;
  /** Monotonic milliseconds: everything committed before is seen once it has been applied. */
  readonly beganAtMs: number;
}

/** What follows from what was read and heard of the feed: how far it was followed, and what has to be forgotten. */
export interface FeedProgress extends FeedPosition {
  /** A change that was pushed. */
  hear(number: number, change: Change): void;
  begin(): FeedReading;
  /** Applies the first reading: from here on everything is followed. */
  start(reading: FeedReading, head: number): void;
  /**
   * Applies a page.
   * @returns whether everything has been seen; else the next page is to be read
   */
  apply(reading: FeedReading, page: FeedPage): boolean;
  /** Milliseconds since everything was last known to have been seen; null before the first reading. */
  ageMs(): number | null;
}

/**
 * @param tell hears every change, and `null` where changes may have been missed and everything has to be forgotten
 */
export function createFeedProgress(clock: Clock, tell: (change: Change | null) => void): FeedProgress {
  let lastNumber: number | null = null;
  let seenUpToMs: number | null = null;

  /** @returns the number up to which everything has been told */
  function tellPage(page: FeedPage, asked: number): number {
    const first = page.changes[0]?.number ?? page.head + 1;
    if (page.head < asked || first !== asked + 1) {
      // Numbers have no gaps. A gap means that old rows were removed meanwhile, a lower head that the database was put
      // back to an earlier state: in both cases nobody can say what was missed.
      tell(null);
      return page.changes.at(-1)?.number ?? page.head;
    }
    for (const { change } of page.changes) tell(change);
    return asked + page.changes.length;
  }

  return {
    hear(number, change) {
      tell(change);
      // Out of order or doubled, it was a hint all the same; the pull goes on where the unbroken row of numbers ends.
      if (lastNumber !== null && number === lastNumber + 1) lastNumber = number;
    },
    begin: () => ({ after: lastNumber, beganAtMs: clock.monotonic() }),
    start({ beganAtMs }, head) {
      lastNumber = head;
      tell(null);
      seenUpToMs = beganAtMs;
    },
    apply({ after, beganAtMs }, page) {
      const asked = after ?? 0;
      const toldUpTo = tellPage(page, asked);
      // A push may have come further meanwhile, unless the database went back.
      lastNumber = page.head < asked ? toldUpTo : Math.max(lastNumber ?? 0, toldUpTo);
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
  };
}
