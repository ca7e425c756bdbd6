import { createHmac } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** Claims or header fields by name. Undefined leaves one out. */
export type TokenFields = Readonly<Record<string, unknown>>;

/** The default of `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`. */
export const clockToleranceSeconds = 10;
/** Older than the tolerance, so that an immediate revocation does not count the token as issued after it. */
const usualAgeSeconds = 60;
/** Longer than a fault run takes. */
const usualLifeSeconds = 3_600;

/** Seconds since 1970, as in a NumericDate (RFC 7519 section 2). */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/**
 * A compact JWS (RFC 7515 section 7.1), always signed with HS256, even if its header names another `alg` as a hostile token
 * does. `SignJWT` of jose refuses to make such tokens, and it is asynchronous, which lists of test cases cannot be.
 */
export function signToken(
  secret: string | Uint8Array,
  claims: TokenFields,
  header: TokenFields = {},
): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', ...header })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** A viewer's token as an application would have issued it a minute ago, valid for an hour from now. */
export function viewerToken(secret: string | Uint8Array, sub: string, claims: TokenFields = {}): string {
  const now = nowSeconds();
  return signToken(secret, { sub, iat: now - usualAgeSeconds, exp: now + usualLifeSeconds, ...claims });
}

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

/** `AUTH_JWT_SECRET` as bytes: UTF-8 as written, or `base64:…` (`docs/operate/configuration.md`). */
export function readTokenSecret(text: string): Buffer {
  return text.startsWith('base64:') ? Buffer.from(text.slice('base64:'.length), 'base64') : Buffer.from(text);
}

/** A key of an identity provider: its public form, and a function that signs with it. */
export interface IssuerKey {
  /** With `kid`, `alg` and `use`. */
  jwk: JWK;
  /** A viewer's token that is issued now for ten minutes, unless the claims say otherwise. */
  sign(sub: string, claims?: TokenFields, header?: TokenFields): Promise<string>;
}

/** @param alg asymmetric, such as RS256, ES256 or EdDSA */
export async function makeIssuerKey(alg: string, kid: string): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return {
    jwk,
    sign(sub, claims = {}, header = {}) {
      const now = nowSeconds();
      return new SignJWT({ iat: now, exp: now + 600, ...claims, sub })
        .setProtectedHeader({ alg, kid, ...header })
        .sign(privateKey);
    },
  };
}
