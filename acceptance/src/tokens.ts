import { createHmac, randomUUID } from 'node:crypto';

type Claims = Record<string, unknown>;

/** Seconds since 1970, as in a NumericDate (RFC 7519 section 2). */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Compact JWS (RFC 7515 section 7.1), signed with HS256 whatever its header says. */
export function signToken(secret: Buffer, claims: Claims, header: Claims = {}): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** A viewer's token as an application would issue it a minute ago, for a quarter of an hour. */
export function viewerToken(secret: Buffer, sub: string, claims: Claims = {}): string {
  const now = nowSeconds();
  return signToken(secret, { sub, iat: now - 60, exp: now + 900, ...claims });
}

/** The default of `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`. */
export const clockToleranceSeconds = 10;

/**
 * A token that no revocation so far holds against, though each holds for tokens with an `iat` up to the tolerance after
 * it: its issuer's clock is ahead by as much as the server allows, so no test has to wait for the tolerance to pass.
 *
 * @param toleranceSeconds the server's `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`
 */
export function laterToken(
  secret: Buffer,
  sub: string,
  claims: Claims = {},
  toleranceSeconds = clockToleranceSeconds,
): string {
  // The server counts in whole milliseconds: not in the one in which the last revocation may have been written.
  const startedAt = Date.now();
  let now = startedAt;
  while (now === startedAt) now = Date.now();
  // Half a millisecond less than allowed: seconds with a fraction are not exact in binary.
  return viewerToken(secret, sub, { iat: (now - 0.5) / 1_000 + toleranceSeconds, ...claims });
}

/** An id that no other test has. */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 13)}`;
}
