/**
 * `docs/contract.md#age-of-a-state`: no answer uses a state that is not known to have held within the last 5 seconds.
 * `AUTHORITY_MAX_AGE_SECONDS` sets another limit.
 */
export const authorityLimitMs = 5_000;

/** How far the change feed has been followed. */
export interface FeedPosition {
  /**
   * Whether a state is known to have held within the limit. The state held at the given monotonic instant, and no change
   * has named it since. It qualifies where it is recent itself, or where every change up to a recent instant has been
   * seen.
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
