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
