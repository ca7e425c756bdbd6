import { createStore, type Store } from '../state/store.ts';
import { ApiError } from './api-error.ts';

/** What the server, or a proxy before it, says of how much may be asked: `RATE_LIMIT=on` is 30 requests in a minute. */
export interface RateLimit {
  /** Whether the server counts: then it says so with every answer, in `RateLimit-Policy`. */
  isCounting: Store<boolean>;
  /** Until when nothing more is read, in milliseconds since 1970; null where it may be. */
  pausedUntilMs: Store<number | null>;
  hear(headers: Headers): void;
  /** Reading was refused with 429. @param seconds of `Retry-After`; null where there was none */
  pause(seconds: number | null): void;
  /** How long reading has to wait; 0 for not at all. */
  secondsLeft(): number;
}

/** Where a proxy counts and does not say how long: most count by the second or by the minute. */
const unsaidWaitSeconds = 10;
/** A mistake in a header shall not stop the page for days, nor overflow a timer (2^31 ms). */
const longestWaitSeconds = 3_600;

/** How long a 429 has one wait. @param said of `Retry-After`; null where there was none */
export function waitSecondsOf(said: number | null): number {
  return Math.min(Math.max(1, said ?? unsaidWaitSeconds), longestWaitSeconds);
}

export function createRateLimit(): RateLimit {
  const isCounting = createStore(false);
  const pausedUntilMs = createStore<number | null>(null);
  const leftMs = () => Math.max(0, (pausedUntilMs.get() ?? 0) - Date.now());
  const endInTime = () => {
    if (leftMs() > 0) setTimeout(endInTime, leftMs());
    else pausedUntilMs.set(null);
  };
  return {
    isCounting,
    pausedUntilMs,
    hear(headers) {
      if (headers.has('ratelimit-policy')) isCounting.set(true);
    },
    pause(seconds) {
      const untilMs = Date.now() + waitSecondsOf(seconds) * 1_000;
      if (untilMs <= (pausedUntilMs.get() ?? 0)) return;
      pausedUntilMs.set(untilMs);
      endInTime();
    },
    secondsLeft: () => Math.ceil(leftMs() / 1_000),
  };
}

/** A 503 says "try again". */
const retries = 2;
/** Nobody looks at grey bars for longer: then it is better said. */
const patienceSeconds = 5;

/**
 * Whether a read is asked again by itself. After a 429 it is, for as long as it takes; what was shown stays meanwhile. Most other
 * answers are final, and lost connections mend themselves.
 *
 * @param failed how often it was asked again
 */
export function isAskedAgain(failed: number, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 429) return true;
  return error.status === 503 && failed < retries && (error.retryAfterSeconds ?? 0) <= patienceSeconds;
}

/** Milliseconds until then: never sooner than the server said. */
export function askAgainAfterMs(failed: number, error: unknown): number {
  if (!(error instanceof ApiError)) return 1_000;
  if (error.status === 429) return waitSecondsOf(error.retryAfterSeconds) * 1_000;
  return Math.max(1_000 * 2 ** failed, (error.retryAfterSeconds ?? 0) * 1_000);
}
