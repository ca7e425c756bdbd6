import { type Clock, sleep } from './clock.ts';
import { isKeyWait, type PlayerError, toPlayerError } from './player-error.ts';

/** The delay doubles from the first to the longest. */
interface BackOff {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export interface WaitOptions {
  readonly clock: Clock;
  /** Ends the waiting; the reason is thrown. */
  readonly signal?: AbortSignal;
  /** Whether to stop waiting. Called after each transient failure, and while waiting. */
  readonly givesUp?: () => boolean;
}

export interface RetryOptions extends BackOff, WaitOptions {
  readonly random: () => number;
  /** The longest Retry-After that is obeyed. */
  readonly maxRetryAfterMs: number;
  readonly onRetry?: (error: PlayerError, attempt: number, delayMs: number) => void;
}

/** A viewer needs a key now or soon, so the player notices quickly that a server is back. */
export const keyBackOff: BackOff = { firstDelayMs: 500, maxDelayMs: 3_000 };

/** Up to half as much again, so that players do not return in step to a server that is back. */
const jitter = 0.5;
/** At most this for a long Retry-After. */
const maxSpreadMs = 5_000;
/** At most this where the server said when it serves the key: a viewer may be waiting for it. */
const maxKeyWaitSpreadMs = 1_000;
/** How often a wait checks `givesUp`. */
const lookMs = 500;

/**
 * Repeats what failed for a transient reason, such as a server that is down.
 *
 * @throws PlayerError that is not transient, or that was given up on; the signal's reason once it is aborted
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, givesUp, onRetry, firstDelayMs, maxDelayMs } = options;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (signal?.aborted) throw signal.reason;
      const error = toPlayerError(thrown);
      if (!error.isTransient || givesUp?.()) throw error;
      const backOffMs = Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs);
      const delayMs = pauseAfter(error, options, backOffMs);
      onRetry?.(error, attempts, delayMs);
      if (!(await waitPatiently(delayMs, options))) throw error;
    }
  }
}

/**
 * How long to wait after a transient failure, with jitter.
 *
 * @param leastMs unless the server said when it serves the key
 */
export function pauseAfter(
  error: PlayerError,
  { random, maxRetryAfterMs }: Pick<RetryOptions, 'random' | 'maxRetryAfterMs'>,
  leastMs = 0,
): number {
  const askedMs = Math.min(error.retryAfterMs, maxRetryAfterMs);
  const isTimed = isKeyWait(error) && askedMs > 0;
  const waitMs = isTimed ? askedMs : Math.max(leastMs, askedMs);
  return waitMs + Math.min(waitMs * jitter, isTimed ? maxKeyWaitSpreadMs : maxSpreadMs) * random();
}

/**
 * @returns true after the whole time; false as soon as `givesUp` says so
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
 * @param isStarving whether there is nothing to play
 * @returns whether a wait since a time has left the viewer with nothing to play for `patienceMs`. Called while waiting
 */
export function createPatience(
  clock: Clock,
  patienceMs: number,
  isStarving: () => boolean,
): (sinceMs: number) => boolean {
  /** When there was still something to play. */
  let fedMs = 0;
  return (sinceMs) => {
    const nowMs = clock.now();
    if (isStarving()) return nowMs - Math.max(sinceMs, fedMs) >= patienceMs;
    fedMs = nowMs;
    return false;
  };
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
  // NaN if it is not a date.
  return Math.max(delayMs, 0) || 0;
}
