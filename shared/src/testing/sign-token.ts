import { createHmac } from 'node:crypto';

/** A compact JWS with HS256 (RFC 7515 section 7.1), for tests that need a viewer. Times are seconds since 1970. */
export function signToken(
  secret: Uint8Array,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
