import { ApiError } from './api-error.ts';
import { waitSecondsOf } from './rate-limit.ts';

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
