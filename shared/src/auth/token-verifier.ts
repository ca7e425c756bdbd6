import { createSecretKey, type KeyObject } from 'node:crypto';
import type { CryptoKey, JWTPayload, JWTVerifyOptions } from 'jose';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import * as errors from 'jose/errors';
// By its parts: the whole has encryption too, which tokens of viewers never have.
import { jwtVerify } from 'jose/jwt/verify';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/clock.ts';
import type { Principal } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import {
  numberBytes,
  objectBytes,
  planCaches,
  slotBytes,
  TextPool,
  textBytes,
  usualCachesBytes,
} from '../memory/index.ts';
import { type AcceptedSecrets, firstOf } from '../seal/accepted-secrets.ts';
import { keySetAlgorithms } from './judge-keys.ts';
import type { KeySet } from './key-set.ts';
import { createSecretTokenReader } from './secret-token.ts';
import {
  isTokenTimely,
  readClaims,
  refuseToken,
  type TokenRules,
  toViewer,
  type ViewerClaims,
} from './token-claims.ts';

export type { TokenRules } from './token-claims.ts';

/**
 * Bytes of a remembered token beside its hash, viewer id, contents and times: its slot in the map, and 7 fields.
 * Verifying a token takes 60 to 140 µs; finding a remembered one takes 1 µs.
 */
const rememberedBytes = slotBytes + objectBytes(7);
/** Bytes for lists of contents that tokens have in common: 400 lists of 250 ids each. */
const contentListsBytes = 2 * 1_024 * 1_024;

const secretAlgorithms = ['HS256'];
/** A rotation needs two or three keys. The bound keeps a forged token that names no key from costing more than ten signatures. */
const mostKeysTried = 10;

export interface TokenVerifier {
  /**
   * Checks a viewer's token (RFC 7519, RFC 8725).
   *
   * @param tokenHash the token is remembered by its hash, never by its text
   * @returns the viewer, without waiting where `recall` returns one
   * @throws AppError INVALID_TOKEN, or DEPENDENCY_UNAVAILABLE where the key set is out of reach
   */
  verify(token: string, tokenHash: string): Principal | Promise<Principal>;
  /**
   * @returns the viewer, where this token was verified before and nothing has changed since, or where it is signed with the secret and
   * of the usual form. Null where only `verify` can tell
   */
  recall(token: string, tokenHash: string): Principal | null;
  /** Size of the store of remembered tokens: their number, and the bytes that they take. */
  readonly remembered: { readonly size: number; readonly bytes: number };
  /** Milliseconds since the key set was last fetched; left out where there is no key set. */
  keysAgeMs?: () => number;
}

interface TokenVerifierOptions {
  /** `AUTH_JWT_SECRET`, at least 32 bytes (RFC 7518 section 3.2), and those that are accepted beside it. */
  secrets: AcceptedSecrets<Uint8Array> | null;
  keySet: KeySet | null;
  rules: TokenRules;
  clock: Clock;
  /** Memory limit for remembered tokens, in bytes. */
  maxBytes?: number;
}

/**
 * The parts of a token that decisions need. The claims are not kept: they may be long and are not read again. This is one
 * object, and each request makes its principal from it. Keeping the principal would take 130 bytes more for each viewer.
 */
interface Remembered extends Omit<ViewerClaims, 'contentsBytes'> {
  /** Generation of the key set that verified it; for a secret, `bySecret`. */
  generation: number;
}

/** In place of the generation of a key set, which is never below 0: secrets do not change while a process runs. */
const bySecret = -1;

export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { keySet, rules, clock, maxBytes = planCaches(usualCachesBytes).tokens } = options;
  const remembered = new LRUCache<string, Remembered>({ maxSize: maxBytes });
  const contentLists = new TextPool(contentListsBytes);
  const readers = options.secrets?.map((secret) => createSecretTokenReader(secret, rules)) ?? [];
  const verifySignature = createSignatureVerifier(options);

  async function verifyAnew(token: string, tokenHash: string): Promise<Principal> {
    let verified: VerifiedPayload;
    try {
      verified = await verifySignature(token);
    } catch (error) {
      throw toAppError(error);
    }
    return remember(tokenHash, verified.payload, verified.generation);
  }

  /** @throws AppError INVALID_TOKEN where a claim is not accepted */
  function remember(tokenHash: string, payload: JWTPayload, generation: number): Principal {
    const claims = readClaims(payload, rules, clock.now(), contentLists);
    const { viewerId, exp, nbf, iat, contents, contentsBytes, mayUpload } = claims;
    const timeBytes = numberBytes(exp) + numberBytes(nbf) + numberBytes(iat);
    const size = rememberedBytes + textBytes(tokenHash) + textBytes(viewerId) + timeBytes + contentsBytes;
    remembered.set(tokenHash, { viewerId, exp, nbf, iat, contents, mayUpload, generation }, { size });
    return toViewer(claims, rules);
  }

  /** A new token of the usual form, verified at once. Null where its verification or its refusal needs `verifyAnew`. */
  function verifyAtOnce(token: string, tokenHash: string): Principal | null {
    const payload = firstOf(readers, (read) => read(token, clock.now()));
    if (!payload) return null;
    try {
      return remember(tokenHash, payload, bySecret);
    } catch {
      return null;
    }
  }

  function recall(token: string, tokenHash: string): Principal | null {
    const known = remembered.get(tokenHash);
    const holds =
      known &&
      (known.generation === bySecret || keySet?.isCurrent(known.generation)) &&
      isTokenTimely(known, rules, clock.now());
    return holds ? toViewer(known, rules) : verifyAtOnce(token, tokenHash);
  }

  return {
    remembered: {
      get size() {
        return remembered.size;
      },
      get bytes() {
        return remembered.calculatedSize;
      },
    },
    ...(keySet ? { keysAgeMs: () => keySet.ageMs() } : {}),
    recall,
    verify: (token, tokenHash) => recall(token, tokenHash) ?? verifyAnew(token, tokenHash),
  };
}

/** A payload whose signature was verified by jose, and the generation of what verified it, as `Remembered` has it. */
interface VerifiedPayload {
  payload: JWTPayload;
  generation: number;
}

/** Verifies any token with jose: its signature, and the claims that the options name. Rejects with jose's errors or an AppError. */
function createSignatureVerifier({
  secrets,
  keySet,
  rules,
  clock,
}: TokenVerifierOptions): (token: string) => Promise<VerifiedPayload> {
  const keys = secrets?.map((secret) => createSecretKey(secret));
  return async (token) => {
    const { alg } = decodeProtectedHeader(token);
    const options: JWTVerifyOptions = {
      clockTolerance: rules.clockToleranceSeconds,
      currentDate: new Date(clock.now()),
      requiredClaims: ['exp'],
    };
    // Each verifier names its own algorithms, so that a key is never used with the other's algorithm (RFC 8725 section
    // 3.1).
    if (keys && secretAlgorithms.includes(alg ?? '')) {
      const by = { ...options, algorithms: secretAlgorithms };
      return { payload: await verifyByAny(token, keys, by), generation: bySecret };
    }
    if (keySet && keySetAlgorithms.includes(alg ?? '')) {
      // Read before verifying: a key set that changes meanwhile may have dropped the key that this token needs.
      const { generation } = keySet;
      const by = { ...options, algorithms: keySetAlgorithms };
      return { payload: await verifyByKeySet(token, keySet, by), generation };
    }
    throw refuseToken('Its algorithm is not allowed.');
  };
}

async function verifyByKeySet(
  token: string,
  { keyFor }: KeySet,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keyFor, options)).payload;
  } catch (error) {
    // The error lists the keys that fit: the token names none, or several have that name.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    return verifyByAny(token, error, options, mostKeysTried);
  }
}

async function verifyByAny(
  token: string,
  keys: Iterable<KeyObject> | AsyncIterable<CryptoKey>,
  options: JWTVerifyOptions,
  most = Number.POSITIVE_INFINITY,
): Promise<JWTPayload> {
  let tried = 0;
  for await (const key of keys) {
    if (++tried > most) break;
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      // The signature is checked before the claims, so another fault is that of the token itself.
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof errors.JWTExpired) return refuseToken('It has expired.', error);
  if (error instanceof errors.JWTClaimValidationFailed)
    return refuseToken(
      `Its claim ${error.claim} is ${error.reason === 'missing' ? 'missing' : 'not accepted'}.`,
      error,
    );
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refuseToken('Its signature is wrong.', error);
  if (error instanceof errors.JWKSNoMatchingKey) return refuseToken('Its key is not in the key set.', error);
  if (error instanceof errors.JOSENotSupported)
    return refuseToken('It uses an extension that is not understood.', error);
  return refuseToken('It is malformed.', error);
}
