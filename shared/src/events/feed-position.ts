/** The contract, section 5: nothing is answered from a state that is not known to have held within the last 5 seconds. */
export const authorityLimitMs = 5_000;

/** How far the change feed has been followed. */
export interface FeedPosition {
  /**
   * Whether a state that held at the given monotonic instant, and that no change has named since, is known to have held
   * within the limit: because it is that recent itself, or because everything up to a recent instant has been seen.
   */
  vouchesFor(heldAtMs: number): boolean;
}
