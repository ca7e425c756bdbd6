import type { Change } from './change.ts';

/**
 * `docs/reference/contract.md#age-of-a-state`: no answer uses a state that is not known to have held within the last 5 seconds.
 * `AUTHORITY_MAX_AGE_SECONDS` sets another limit.
 */
export const authorityLimitMs = 5_000;

/**
 * How long a process may use any state, however new, after its last pull, or its limit where that is longer. Later, a request with `wait=applied` may no longer wait for
 * it. A service that answers look-ups also answers pulls, so only a process that nobody answers reaches it.
 */
export const listedForMs = 30_000;

/** How far the change feed has been followed. */
export interface FeedPosition {
  /**
   * Whether a state is known to have held within the limit. The state held at the given monotonic instant, and no change
   * has named it since. It qualifies if every change up to a recent instant has been seen. It also qualifies if it is recent
   * itself and the last pull is not too long ago (`listedForMs`). None qualifies before the first pull.
   */
  vouchesFor(heldAtMs: number): boolean;
}

/** One small query a second at the usual limit, with four seconds to spare; more often where the limit is shorter. */
const slowestPullMs = 1_000;
const pullsWithinLimit = 5;

/** How often the feed is pulled. @param limitMs as `FeedFollowerOptions.limitMs` */
export function pullIntervalMs(limitMs: number): number {
  return Math.min(slowestPullMs, limitMs / pullsWithinLimit);
}

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
