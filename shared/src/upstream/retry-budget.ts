/**
 * A fifth of all requests may be sent a second time, as in Finagle and Linkerd (`percentCanRetry`, `retryRatio`). Where
 * every request fails, the other service gets a fifth more load and not twice as much.
 */
const share = 0.2;
/**
 * In addition to that, this many: the requests that wait at one address when it falls silent, at 128 connections to each
 * and one request on each.
 */
const reserve = 128;

/** How many requests may be sent once more although the first address may have started them. */
export interface RetryBudget {
  /** A request begins. */
  earn(): void;
  /** @returns whether a request may be sent once more; if so, it is counted */
  spend(): boolean;
}

/** Begins with the reserve, and never holds more. */
export function createRetryBudget(): RetryBudget {
  let left = reserve;
  return {
    earn() {
      left = Math.min(reserve, left + share);
    },
    spend() {
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
