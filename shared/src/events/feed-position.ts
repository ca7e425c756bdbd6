/**
 * `docs/contract.md#age-of-a-state`: nothing is answered from a state that is not known to have held within the last 5 seconds.
 * `AUTHORITY_MAX_AGE_SECONDS` sets another limit (section 13).
 */
export const authorityLimitMs = 5_000;

/** How far the change feed has been followed. */
export interface FeedPosition {
  /**
   * Whether a state that held at the given monotonic instant, and that no change has named since, is known to have held
   * within the limit: because it is that recent itself, or because everything up to a recent instant has been seen.
   */
  vouchesFor(heldAtMs: number): boolean;
}

/** At the usual limit one small query a second, with four to spare; more often where the limit is shorter. */
const slowestPullMs = 1_000;
const pullsWithinLimit = 5;

/** How often the feed is pulled. @param limitMs as `FeedFollowerOptions.limitMs` */
export function pullIntervalMs(limitMs: number): number {
  return Math.min(slowestPullMs, limitMs / pullsWithinLimit);
}
