import { randomUUID } from 'node:crypto';
import { clockToleranceSeconds, type TokenFields, viewerToken } from '../tokens.ts';

export { clockToleranceSeconds, nowSeconds, signToken, viewerToken } from '../tokens.ts';

/**
 * A token that counts as newer than every revocation so far. A revocation also holds for tokens with an `iat` up to the
 * tolerance after it. This token's `iat` is ahead by as much as the server allows, so no test has to wait for the tolerance.
 *
 * @param toleranceSeconds the server's `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`
 */
export function laterToken(
  secret: Buffer,
  sub: string,
  claims: TokenFields = {},
  toleranceSeconds = clockToleranceSeconds,
): string {
  // The server counts in whole milliseconds, so wait for the millisecond after the last revocation.
  const startedAt = Date.now();
  let now = startedAt;
  while (now === startedAt) now = Date.now();
  // Half a millisecond less than allowed, because fractions of seconds are not exact in binary.
  return viewerToken(secret, sub, { iat: (now - 0.5) / 1_000 + toleranceSeconds, ...claims });
}

/** An id that no other test has. */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 13)}`;
}
