import { type Clock, sleep } from './clock.ts';
import { type PlayerError, toPlayerError } from './player-error.ts';

/** A back-off doubles from the first to the longest delay. */
interface BackOff {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

interface WaitOptions {
  readonly clock: Clock;
  /** Ends the waiting; the reason is thrown. */
  readonly signal?: AbortSignal;
  /** Whether nobody wants to wait any longer. Asked after each failure that may pass, and while waiting. */
  readonly givesUp?: () => boolean;
}

export interface RetryOptions extends BackOff, WaitOptions {
  readonly random: () => number;
  /** Longest wait that a server's Retry-After is granted: the viewer's patience. */
  readonly maxRetryAfterMs: number;
  readonly onRetry?: (error: PlayerError, attempt: number, delayMs: number) => void;
}

/** A viewer is waiting for a key, or will soon: seldom more than this behind a server that is back. */
export const keyBackOff: BackOff = { firstDelayMs: 500, maxDelayMs: 3_000 };

/** Half as much again at most, so that the players of a server that comes back do not come in step. */
const jitter = 0.5;
/** And no more than this where the server asks for a long wait. */
const maxSpreadMs = 5_000;
/** How often somebody who waits looks whether it is still worth it. */
const lookMs = 500;

/**
 * Repeats what failed for a passing reason, such as a server that is away.
 *
 * @throws PlayerError that is not transient, or that was given up on; the signal's reason once it is aborted
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { random, signal, givesUp, onRetry, firstDelayMs, maxDelayMs, maxRetryAfterMs } = options;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (signal?.aborted) throw signal.reason;
      const error = toPlayerError(thrown);
      if (!error.isTransient || givesUp?.()) throw error;
      const backOffMs = Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs);
      const waitMs = Math.max(backOffMs, Math.min(error.retryAfterMs, maxRetryAfterMs));
      const delayMs = withSpread(waitMs, random);
      onRetry?.(error, attempts, delayMs);
      if (!(await waitPatiently(delayMs, options))) throw error;
    }
  }
}

/** A wait, or somewhat more. */
export function withSpread(waitMs: number, random: () => number): number {
  return waitMs + Math.min(waitMs * jitter, maxSpreadMs) * random();
}

/**
 * @returns whether the whole time has passed; false as soon as nobody wants to wait any longer
 * @throws the signal's reason, as soon as it is aborted
 */
export async function waitPatiently(
  delayMs: number,
  { clock, signal, givesUp }: WaitOptions,
): Promise<boolean> {
  const endMs = clock.now() + delayMs;
  for (let leftMs = delayMs; leftMs > 0; leftMs = endMs - clock.now()) {
    await sleep(clock, givesUp ? Math.min(leftMs, lookMs) : leftMs, signal);
    if (givesUp?.()) return false;
  }
  return true;
}

/**
 * Reads a `Retry-After` header (RFC 9110 section 10.2.3): seconds, or a date.
 *
 * @param wallNowMs milliseconds since 1970
 * @returns milliseconds from now; 0 where the header is missing, malformed or in the past
 */
export function readRetryAfter(header: string | null, wallNowMs: number): number {
  const text = header?.trim() ?? '';
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - wallNowMs;
  // What is not a date is NaN.
  return Math.max(delayMs, 0) || 0;
}
