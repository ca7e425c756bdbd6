import { timingSafeEqual } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { createTextHmac } from './create-text-hmac.ts';
import type { TokenRules } from './token-claims.ts';

/** The members that the header of a usual token may have. Any other member, such as `crit` or `b64`, may change the meaning of the rest. */
const usualMembers = new Set(['alg', 'typ', 'kid']);
/** Applications sign with one header, or a few while they change `kid`. Longer ones are not kept. */
const headersKept = 16;
const longestHeader = 256;

/**
 * Reads tokens that are signed with the secret (HS256) and have the usual form, without waiting.
 *
 * jose verifies on the thread pool, and one token takes 60 to 90 µs of all threads together. This takes 8 µs, because it computes the
 * HMAC at once and accepts only tokens whose text is exactly what a signer writes. It accepts no token that jose refuses
 * (`secret-token.test.ts`), so that all refusals and their reasons come from one place.
 *
 * @returns reads the claims of a token that matches `tokenPattern`. Null where jose must look: it may be refused, or only be unusual
 */
export function createSecretTokenReader(
  secret: Uint8Array,
  rules: Pick<TokenRules, 'clockToleranceSeconds'>,
): (token: string, nowMs: number) => JWTPayload | null {
  const hmac = createTextHmac(secret);
  const usualHeaders = new Set<string>();

  function hasUsualHeader(part: string): boolean {
    if (usualHeaders.has(part)) return true;
    if (part.length > longestHeader || !isUsualHeader(readObject(part))) return false;
    if (usualHeaders.size < headersKept) usualHeaders.add(Buffer.from(part).toString());
    return true;
  }

  return (token, nowMs) => {
    const headerEnd = token.indexOf('.');
    const claimsEnd = token.lastIndexOf('.');
    if (claimsEnd <= headerEnd || !hasUsualHeader(token.slice(0, headerEnd))) return null;
    const expected = hmac(token.slice(0, claimsEnd));
    if (!isSameText(expected, token.slice(claimsEnd + 1))) return null;
    const claims = readObject(token.slice(headerEnd + 1, claimsEnd));
    return claims && hasUsualClaims(claims, rules, Math.floor(nowMs / 1_000)) ? claims : null;
  };
}

function isUsualHeader(header: JWTPayload | null): boolean {
  if (header?.alg !== 'HS256') return false;
  return Object.keys(header).every((name) => usualMembers.has(name) && typeof header[name] === 'string');
}

/** In constant time, as a signature must be compared. Compares the texts: base64url has several for the same bytes. */
function isSameText(expected: string, presented: string): boolean {
  const [a, b] = [Buffer.from(expected, 'latin1'), Buffer.from(presented, 'latin1')];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Null for anything but an object in JSON. */
function readObject(part: string): JWTPayload | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JWTPayload)
      : null;
  } catch {
    return null;
  }
}

/** The checks of jose's `jwtVerify` with the options of the verifier: `exp` is required. `readClaims` checks the rest for both. */
function hasUsualClaims(
  { exp, nbf, iat }: JWTPayload,
  { clockToleranceSeconds: tolerance }: Parameters<typeof createSecretTokenReader>[1],
  now: number,
): boolean {
  if (typeof exp !== 'number' || exp <= now - tolerance) return false;
  if (iat !== undefined && typeof iat !== 'number') return false;
  return nbf === undefined || (typeof nbf === 'number' && nbf <= now + tolerance);
}
