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

/** A token issued after everything that has happened so far: its time is ahead, within the tolerance of 10 s. */
export function laterToken(secret: Buffer, sub: string, claims: Claims = {}): string {
  return viewerToken(secret, sub, { iat: nowSeconds() + 3, ...claims });
}

/** An id that no other test has. */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 13)}`;
}
