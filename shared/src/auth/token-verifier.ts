import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/clock.ts';
import type { Principal } from '../contracts/index.ts';
import {
  numberBytes,
  objectBytes,
  planCaches,
  slotBytes,
  TextPool,
  textBytes,
  usualCachesBytes,
} from '../memory/index.ts';
import { firstOf } from '../seal/accepted-secrets.ts';
import { createIssuerTable, type TokenIssuer } from './issuer-table.ts';
import { createSecretTokenReader } from './secret-token.ts';
import { isTokenTimely, readClaims, toViewer, type ViewerClaims } from './token-claims.ts';
import {
  createSignatureVerifier,
  isProofCurrent,
  type Proof,
  toAppError,
  type VerifiedPayload,
} from './verify-signature.ts';

export type { TokenIssuer } from './issuer-table.ts';
export type { TokenRules } from './token-claims.ts';

/**
 * Bytes of a remembered token in addition to its hash, viewer id, contents and times: its slot in the map, and 7 fields.
 * Verifying a token takes 60 to 140 µs; finding a remembered one takes 1 µs.
 */
const rememberedBytes = slotBytes + objectBytes(7);
/** Bytes for lists of contents that tokens have in common: 400 lists of 250 ids each. */
const contentListsBytes = 2 * 1_024 * 1_024;

export type TokenVerifier = ReturnType<typeof createTokenVerifier>;

interface TokenVerifierOptions {
  /** No two accept the same `iss`. One that accepts any is alone. */
  issuers: readonly [TokenIssuer, ...TokenIssuer[]];
  clock: Clock;
  /** Memory limit for remembered tokens, in bytes. */
  maxBytes?: number;
}

/**
 * The parts of a token that decisions need. The claims are not kept: they may be long and are not read again. This is one
 * object, and each request makes its principal from it. Keeping the principal would take 130 bytes more for each viewer.
 */
interface Remembered extends Omit<ViewerClaims, 'contentsBytes'> {
  proof: Proof;
}

export function createTokenVerifier(options: TokenVerifierOptions) {
  const { clock, maxBytes = planCaches(usualCachesBytes).tokens } = options;
  const remembered = new LRUCache<string, Remembered>({ maxSize: maxBytes });
  const contentLists = new TextPool(contentListsBytes);
  const [first, ...others] = options.issuers.map((issuer) => {
    const bySecret: Proof = { issuer, generation: null };
    return {
      rules: issuer.rules,
      bySecret,
      readers: issuer.secrets?.map((secret) => createSecretTokenReader(secret, issuer.rules)) ?? [],
      verifySignature: createSignatureVerifier(issuer, bySecret, clock),
    };
  });
  if (!first) throw new RangeError('a verifier of tokens needs an issuer');
  const find = createIssuerTable([first, ...others]);

  async function verifyAnew(token: string, tokenHash: string): Promise<Principal> {
    let verified: VerifiedPayload;
    try {
      verified = await find(token).verifySignature(token);
    } catch (error) {
      throw toAppError(error);
    }
    return remember(tokenHash, verified.payload, verified.proof);
  }

  /** @throws AppError INVALID_TOKEN where a claim is not accepted */
  function remember(tokenHash: string, payload: JWTPayload, proof: Proof): Principal {
    const { rules } = proof.issuer;
    const claims = readClaims(payload, rules, clock.now(), contentLists);
    const { viewerId, exp, nbf, iat, contents, contentsBytes, mayUpload } = claims;
    const timeBytes = numberBytes(exp) + numberBytes(nbf) + numberBytes(iat);
    const size = rememberedBytes + textBytes(tokenHash) + textBytes(viewerId) + timeBytes + contentsBytes;
    remembered.set(tokenHash, { viewerId, exp, nbf, iat, contents, mayUpload, proof }, { size });
    return toViewer(claims, rules);
  }

  /** A new token of the usual form, verified at once. Null where its verification or its refusal needs `verifyAnew`. */
  function verifyAtOnce(token: string, tokenHash: string): Principal | null {
    try {
      const { readers, bySecret } = find(token);
      const payload = firstOf(readers, (read) => read(token, clock.now()));
      return payload && remember(tokenHash, payload, bySecret);
    } catch {
      return null;
    }
  }

  /**
   * @returns the viewer, if this token was verified before and nothing has changed since, or if it is signed with the secret and has
   * the usual form. Null if only `verify` can decide
   */
  function recall(token: string, tokenHash: string): Principal | null {
    const known = remembered.get(tokenHash);
    const rules = known?.proof.issuer.rules;
    return known && rules && isProofCurrent(known.proof) && isTokenTimely(known, rules, clock.now())
      ? toViewer(known, rules)
      : verifyAtOnce(token, tokenHash);
  }

  return {
    /** Size of the store of remembered tokens: their number, and the bytes that they take. */
    remembered: {
      get size() {
        return remembered.size;
      },
      get bytes() {
        return remembered.calculatedSize;
      },
    },
    recall,
    /**
     * Checks a viewer's token (RFC 7519, RFC 8725).
     *
     * @param tokenHash the token is remembered by its hash, never by its text
     * @returns the viewer, without waiting where `recall` returns one
     * @throws AppError INVALID_TOKEN, or DEPENDENCY_UNAVAILABLE where the key set is out of reach
     */
    verify: (token: string, tokenHash: string) => recall(token, tokenHash) ?? verifyAnew(token, tokenHash),
  };
}
