import { type Clock, sleep } from './clock.ts';
import { type PlayerError, toPlayerError } from './player-error.ts';

/** A back-off doubles from the first to the longest delay. */
export interface BackOff {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export interface RetryOptions extends BackOff {
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends the waiting; the reason is thrown. */
  readonly signal?: AbortSignal;
  /** Asked after each failure that may pass: whether nobody wants to wait any longer. */
  readonly givesUp?: () => boolean;
  readonly onRetry?: (error: PlayerError, attempt: number, delayMs: number) => void;
}

/** A viewer is waiting for a key, or will soon: seldom more than this behind a server that is back. */
export const keyBackOff: BackOff = { firstDelayMs: 500, maxDelayMs: 3_000 };

/** Longest wait that a server's Retry-After is granted: a viewer waits. */
const maxRetryAfterMs = 30_000;
/** Half as much again at most, so that the players of a server that comes back do not come in step. */
const jitter = 0.5;

/**
 * Repeats what failed for a passing reason, such as a server that is away.
 *
 * @throws PlayerError that is not transient, or that was given up on; the signal's reason once it is aborted
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, signal, givesUp, onRetry, firstDelayMs, maxDelayMs } = options;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (signal?.aborted) throw signal.reason;
      const error = toPlayerError(thrown);
      if (!error.isTransient || givesUp?.()) throw error;
      const backOffMs = Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs);
      const waitMs = Math.max(backOffMs, Math.min(error.retryAfterMs, maxRetryAfterMs));
      const delayMs = waitMs * (1 + jitter * random());
      onRetry?.(error, attempts, delayMs);
      await sleep(clock, delayMs, signal);
    }
  }
}
