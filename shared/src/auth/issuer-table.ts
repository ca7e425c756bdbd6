import { decodeJwt } from 'jose/jwt/decode';
import type { AcceptedSecrets } from '../seal/accepted-secrets.ts';
import type { KeySet } from './key-set.ts';
import { refuseClaim, type TokenRules } from './token-claims.ts';

/** An issuer of tokens, as verification needs it. */
export interface TokenIssuer {
  /** For the operator. */
  name: string;
  /** The secret in use and the others that are accepted, each at least 32 bytes (RFC 7518 section 3.2). Null: HS256 is not accepted. */
  secrets: AcceptedSecrets<Uint8Array> | null;
  keySet: KeySet | null;
  rules: TokenRules;
}

/**
 * Finds the issuer whose rules a token is judged by. Nothing of the token is verified yet. A single issuer needs no look at the token:
 * `readClaims` checks the `iss` of every token.
 *
 * @returns throws AppError INVALID_TOKEN if no issuer has the token's `iss`; JWTInvalid of jose if it cannot be read
 */
export function createIssuerTable<T extends { rules: TokenRules }>(
  issuers: readonly [T, ...T[]],
): (token: string) => T {
  const [first, ...others] = issuers;
  if (others.length === 0) return () => first;
  const byIssuer = new Map(issuers.flatMap((each) => each.rules.issuers.map((iss) => [iss, each])));
  return (token) => {
    const { iss } = decodeJwt(token);
    const found = byIssuer.get(iss ?? '');
    if (!found) throw refuseClaim('iss', iss);
    return found;
  };
}
