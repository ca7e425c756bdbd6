import { createDeferred } from './deferred.ts';
import { PlayerError, toPlayerError } from './player-error.ts';

/** Whether the server demands a lease for each key (`LEASE_MODE=required`), found out from its answers. */
export interface LeaseDemand {
  readonly isRequired: boolean;
  /** Leases are known to be demanded. */
  require(): void;
  /**
   * Sends a key request without a lease. Until an answer shows whether leases are demanded, one is sent at a time and the
   * others wait. hls.js and Shaka Player request several keys at once, and each would be refused.
   *
   * @throws PlayerError `LEASE_REQUIRED` without a request, if another one was answered so; else what the request throws
   */
  withoutLease<T>(request: () => Promise<T>): Promise<T>;
  /** Playback has ended: waiting requests fail with `ABORTED`. */
  close(): void;
}

export function createLeaseDemand(): LeaseDemand {
  let isRequired = false;
  let isKnown = false;
  let isClosed = false;
  /** Settled when the first request is answered. */
  let asking: Promise<void> | undefined;

  async function findOut<T>(request: () => Promise<T>): Promise<T> {
    const answered = createDeferred<void>();
    asking = answered.promise;
    try {
      const answer = await request();
      isKnown = true;
      return answer;
    } catch (error) {
      // Any other failure shows nothing, so the next request finds out.
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
      if (isRequired) throw new PlayerError('LEASE_REQUIRED', 'The key server demands leases.');
      return isKnown ? request() : findOut(request);
    },
    close() {
      isClosed = true;
    },
  };
}
