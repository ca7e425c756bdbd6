/** Events counted over all interleavings, to show that the hard cases occurred. */
export interface Tally {
  given: number;
  /** Served because the feed was followed, from a state read longer ago than the limit. */
  givenOnTheFeedsWord: number;
  refusedLoads: number;
  gaps: number;
  /** Shared entries that were trusted, and entries that were not. */
  believed: number;
  disbelieved: number;
  /** Requests that were refused because their lease had expired, and renewals whose push was lost. */
  refusedAsExpired: number;
  lostPushes: number;
  /** Failovers that lost acts. */
  failovers: number;
  /** Waits that ended, and how many of them ended before the limit. */
  waited: number;
  waitedShortly: number;
}

export function createTally(): Tally {
  return {
    given: 0,
    givenOnTheFeedsWord: 0,
    refusedLoads: 0,
    gaps: 0,
    believed: 0,
    disbelieved: 0,
    refusedAsExpired: 0,
    lostPushes: 0,
    failovers: 0,
    waited: 0,
    waitedShortly: 0,
  };
}
