import { createStore } from '../state/store.ts';
import { ApiError } from './api-error.ts';

/** Gives what the dashboard reads a limit of its own: `docs/reference/contract.md#rate-limits`. */
export const ofDashboard = { 'x-requested-with': 'latchkey-dashboard' };

/** For a proxy that sends no `Retry-After`: most limits are per second or per minute. */
const unsaidWaitSeconds = 10;
/** Protects from a wrong header, which could stop the page for days or overflow a timer (2^31 ms). */
const longestWaitSeconds = 3_600;

/** Seconds to wait after a 429. @param said from `Retry-After`, or null */
export function waitSecondsOf(said: number | null): number {
  return Math.min(Math.max(1, said ?? unsaidWaitSeconds), longestWaitSeconds);
}

export type RateLimit = ReturnType<typeof createRateLimit>;

/** The rate limit of the server (`RATE_LIMIT=on`), or of a proxy in front of it. */
export function createRateLimit() {
  const pausedUntilMs = createStore<number | null>(null);
  const leftMs = () => Math.max(0, (pausedUntilMs.get() ?? 0) - Date.now());
  const endInTime = () => {
    if (leftMs() > 0) setTimeout(endInTime, leftMs());
    else pausedUntilMs.set(null);
  };
  return {
    /** End of the pause in reading, in milliseconds since 1970; null without a pause. */
    pausedUntilMs,
    /** Starts a pause after a 429. @param seconds from `Retry-After`, or null */
    pause(seconds: number | null): void {
      const untilMs = Date.now() + waitSecondsOf(seconds) * 1_000;
      if (untilMs <= (pausedUntilMs.get() ?? 0)) return;
      pausedUntilMs.set(untilMs);
      endInTime();
    },
    /** Seconds until reading can continue; 0 without a pause. */
    secondsLeft: () => Math.ceil(leftMs() / 1_000),
  };
}

/** Retries after a 503. */
const retries = 2;
/** The longest wait behind placeholders. A longer one is shown as an error. */
const patienceSeconds = 5;

/**
 * Whether a read is repeated automatically. After a 429 it always is, and the shown data stays in the meantime. Most other
 * answers are final, and `createConnection` handles a lost server.
 *
 * @param failed number of retries so far
 */
export function shouldRetry(failed: number, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 429) return true;
  return error.status === 503 && failed < retries && (error.retryAfterSeconds ?? 0) <= patienceSeconds;
}

/** Milliseconds until the next attempt: at least the server's `Retry-After`. */
export function retryDelayMs(failed: number, error: unknown): number {
  if (!(error instanceof ApiError)) return 1_000;
  if (error.status === 429) return waitSecondsOf(error.retryAfterSeconds) * 1_000;
  return Math.max(1_000 * 2 ** failed, (error.retryAfterSeconds ?? 0) * 1_000);
}
