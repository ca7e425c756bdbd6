import type { UploadError } from './upload-error.ts';

/**
 * - `never`: a definite refusal, or a fault that stays
 * - `later`: after a pause
 * - `once`: at once, but twice in a row is `never`: a token or a URL that may have just expired
 */
type Retry = 'never' | 'later' | 'once';

/** A failed attempt, and whether to retry it. */
export class Fault extends Error {
  readonly error: UploadError;
  readonly retry: Retry;
  /** Of the answer's `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  /** The URL must not be used again. */
  readonly urlSpent: boolean;

  constructor(
    error: UploadError,
    retry: Retry,
    { retryAfterMs, urlSpent = false }: { retryAfterMs?: number | undefined; urlSpent?: boolean } = {},
  ) {
    super(error.message, { cause: error });
    this.error = error;
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
    this.urlSpent = urlSpent;
  }
}

/** Whether the same request may succeed later (RFC 9110 section 15, RFC 6585 section 4). */
export function isPassing(status: number): boolean {
  // 501 and 505: the server cannot do this at all.
  return [408, 425, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);
}

/** The first pause; each further one is twice as long. */
const firstDelayMs = 500;
/** No pause is longer, unless the server asks for it. */
const longestDelayMs = 30_000;
/** The longest wait for a server. Rate limits count by the minute. */
const longestRetryAfterMs = 300_000;
/** Spreads the requests of files that got the same `Retry-After`. */
const retryAfterSpreadMs = 1_000;

/**
 * The pause before an attempt: exponential, half of it random, and at least the server's `Retry-After`.
 *
 * @param attempt that failed, from 1
 * @param random 0 up to 1
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const fullMs = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
  const backOffMs = fullMs / 2 + (fullMs / 2) * random;
  return retryAfterMs === undefined
    ? backOffMs
    : Math.max(retryAfterMs + retryAfterSpreadMs * random, backOffMs);
}

/** `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date. @returns undefined for anything else */
export function parseRetryAfter(text: string | null | undefined, nowMs: number): number | undefined {
  if (!text) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs);
}
