import type { Change } from './change.ts';

/** Is told, beside the caches, what the follower of the change feed sees, with the numbers. */
export interface FeedRecord {
  /**
   * A change was read or heard. What is heard may come doubled, out of order and before the first reading.
   *
   * @param at the time of its row, milliseconds since 1970
   */
  add(number: number, at: number, change: Change): void;
  /** The feed has been followed, without a gap, up to this number or further. */
  advance(number: number): void;
  /**
   * From this number on the feed is followed without a gap. What came before it may have been missed.
   *
   * @param at the time of its row; null where that is not known
   * @param history the name of the database that is followed, see `FeedPage`; null where it tells nothing
   */
  restart(number: number, at: number | null, history?: string | null): void;
  /** A reading of the feed came to its end: all that was committed before it began has been told. */
  caughtUp(): void;
}
