import { createDeferred } from './deferred.ts';
import { PlayerError, toPlayerError } from './player-error.ts';

/** Whether the server demands a lease for each key (`LEASE_MODE=required`), as its answers tell. */
export interface LeaseDemand {
  readonly isRequired: boolean;
  /** It is known that leases are demanded. */
  require(): void;
  /**
   * Sends a key request without a lease. As long as no answer has told whether leases are demanded, one is sent at a time and
   * the others wait for its answer: hls.js and Shaka Player ask for several keys at once, and each would be refused.
   *
   * @throws PlayerError `LEASE_REQUIRED` without a request, where the answer to another one was that; else what the request throws
   */
  withoutLease<T>(request: () => Promise<T>): Promise<T>;
  /** Requests that wait fail with `ABORTED`: playback has ended. */
  close(): void;
}

export function createLeaseDemand(): LeaseDemand {
  let isRequired = false;
  let isKnown = false;
  let isClosed = false;
  /** Settled when the request that finds out is answered. */
  let asking: Promise<void> | undefined;

  async function findOut<T>(request: () => Promise<T>): Promise<T> {
    const answered = createDeferred<void>();
    asking = answered.promise;
    try {
      const answer = await request();
      isKnown = true;
      return answer;
    } catch (error) {
      // Any other failure tells nothing: the next request asks again.
      isRequired ||= toPlayerError(error).code === 'LEASE_REQUIRED';
      throw error;
    } finally {
      asking = undefined;
      answered.resolve();
    }
  }

  return {
    get isRequired() {
      return isRequired;
    },
    require() {
      isRequired = true;
    },
    async withoutLease(request) {
      while (asking && !isKnown) await asking;
      if (isClosed) throw new PlayerError('ABORTED', 'Playback has ended.');
      if (isRequired) throw new PlayerError('LEASE_REQUIRED', 'The key server demands a lease for each key.');
      return isKnown ? request() : findOut(request);
    },
    close() {
      isClosed = true;
    },
  };
}
