/** The first pause; each further one is twice as long. */
const firstDelayMs = 500;
/** No pause is longer, unless the server asks for it. */
const longestDelayMs = 30_000;
/** Nobody waits longer for a server's word: rate limits count by the minute. */
const longestRetryAfterMs = 300_000;
/** What asked to be left alone for the same time should not come back at the same instant. */
const retryAfterSpreadMs = 1_000;

/**
 * The pause before an attempt: exponential, with half of it left to chance; at least what the server asked for.
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

/** `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date. @returns undefined where it says neither */
export function parseRetryAfter(text: string | null | undefined, nowMs: number): number | undefined {
  if (!text) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs);
}
