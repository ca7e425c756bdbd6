import type { JWTPayload } from 'jose';
import { AppError } from '../errors/index.ts';
import type { Principal } from './principal.ts';

/** What is asked of a viewer's token beyond its signature. */
export interface TokenRules {
  audience: string | null;
  issuer: string | null;
  /** For `exp` and `nbf`, in the token's favour. */
  clockToleranceSeconds: number;
  /** Marks are kept for this long, so no older token may pass. */
  maxAgeSeconds: number;
  /** The claim that bounds what the token opens. */
  contentClaim: string;
}

/** Longer than any account id; fits an index of Postgres, whose entries hold some 2,700 octets (nbtree, BTMaxItemSize). */
const maxViewerIdOctets = 1_024;

/** Whether the times of a token's claims allow it now. All claims are seconds since 1970 (RFC 7519 section 2, NumericDate). */
export function isTokenTimely(payload: JWTPayload, rules: TokenRules, nowMs: number): boolean {
  const now = nowMs / 1_000;
  const { exp, nbf, iat } = payload;
  const tolerance = rules.clockToleranceSeconds;
  if (exp === undefined || exp + tolerance <= now) return false;
  if (nbf !== undefined && nbf - tolerance > now) return false;
  if (iat === undefined) return exp - now <= rules.maxAgeSeconds;
  // A token from the future would outlive every mark.
  return iat - tolerance <= now && now - iat <= rules.maxAgeSeconds;
}

/** @throws AppError INVALID_TOKEN where a claim is missing or not of its type */
export function readViewer(payload: JWTPayload, rules: TokenRules, nowMs: number): Principal {
  const { sub, iat } = payload;
  if (typeof sub !== 'string' || sub === '')
    throw refuseToken('Its claim sub has to be a text that is not empty.');
  // None is an id that a person or a system gives; a NUL cannot be stored, and lone surrogates become one and the same.
  if (Buffer.byteLength(sub) > maxViewerIdOctets || /\p{Cc}/u.test(sub) || !sub.isWellFormed())
    throw refuseToken('Its claim sub is not usable as an id.');
  if (iat !== undefined && !Number.isFinite(iat)) throw refuseToken('Its claim iat has to be a number.');
  if (!isTokenTimely(payload, rules, nowMs)) {
    throw refuseToken(`It was not issued within the last ${rules.maxAgeSeconds} seconds.`);
  }
  return {
    kind: 'viewer',
    id: sub,
    issuedAt: iat === undefined ? null : iat * 1_000,
    contents: readContents(payload[rules.contentClaim], rules.contentClaim),
    mayUpload: typeof payload.scope === 'string' && payload.scope.split(' ').includes('upload'),
  };
}

function readContents(claim: unknown, name: string): ReadonlySet<string> | null {
  if (claim === undefined) return null;
  const contents = typeof claim === 'string' ? [claim] : claim;
  if (!Array.isArray(contents) || contents.some((id) => typeof id !== 'string')) {
    throw refuseToken(`Its claim ${name} has to be a text or a list of texts.`);
  }
  return contents.includes('*') ? null : new Set(contents as string[]);
}

export function refuseToken(detail: string, cause?: unknown): AppError {
  return new AppError('INVALID_TOKEN', { detail: `The token is not accepted. ${detail}`, cause });
}
