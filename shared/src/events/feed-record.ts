import type { Change } from './change.ts';

/** Receives, in addition to the caches, the changes that the follower of the feed sees, with their numbers. */
export interface FeedRecord {
  /**
   * A change was pulled or pushed. A pushed one may come doubled, out of order and before the first read.
   *
   * @param at the time of its row, milliseconds since 1970
   */
  add(number: number, at: number, change: Change): void;
  /** The feed was followed without a gap up to this number or further. */
  advance(number: number): void;
  /**
   * From this number on the feed is followed without a gap. Earlier changes may have been missed.
   *
   * @param at the time of its row; null where unknown
   * @param history the name of the followed database, see `FeedPage`; null where unknown
   */
  restart(number: number, at: number | null, history?: string | null): void;
  /** A read of the feed has ended: every change that was committed before the read began has been reported. */
  caughtUp(): void;
}
