import { createSecretKey, type KeyObject } from 'node:crypto';
import type { CryptoKey, JWTPayload, JWTVerifyOptions } from 'jose';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import * as errors from 'jose/errors';
// By its parts: the whole has encryption too, which tokens of viewers never have.
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors/errors.ts';
import type { TokenIssuer } from './issuer-table.ts';
import { keySetAlgorithms } from './judge-keys.ts';
import type { KeySet } from './key-set.ts';
import { refuseToken } from './token-claims.ts';

const secretAlgorithms = ['HS256'];
/** A rotation needs two or three keys. The bound keeps a forged token that names no key from costing more than ten signatures. */
const mostKeysTried = 10;
/** Who verified a token, and with which keys. Tokens share these objects, because each is remembered with one. */
export interface Proof {
  issuer: TokenIssuer;
  /** Generation of the key set. Null for a secret: secrets do not change while a process runs. */
  generation: number | null;
}

/** Whether a token that was accepted with this proof may still be remembered. */
export function isProofCurrent({ issuer: { keySet }, generation }: Proof): boolean {
  return generation === null || keySet?.isCurrent(generation) === true;
}

/** A payload whose signature was verified by jose. */
export interface VerifiedPayload {
  payload: JWTPayload;
  proof: Proof;
}

/** Verifies any token of one issuer with jose: its signature, then its times. Rejects with jose's errors or an AppError. */
export function createSignatureVerifier(
  issuer: TokenIssuer,
  bySecret: Proof,
  clock: Pick<Clock, 'now'>,
): (token: string) => Promise<VerifiedPayload> {
  const { secrets, keySet, rules } = issuer;
  const keys = secrets?.map((secret) => createSecretKey(secret));
  let byKeySet: Proof = { issuer, generation: 0 };
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
      return { payload: await verifyByAny(token, keys, by), proof: bySecret };
    }
    if (keySet && keySetAlgorithms.includes(alg ?? '')) {
      // Read before verifying: a key set that changes meanwhile may have dropped the key that this token needs.
      const { generation } = keySet;
      if (byKeySet.generation !== generation) byKeySet = { issuer, generation };
      const proof = byKeySet;
      const by = { ...options, algorithms: keySetAlgorithms };
      return { payload: await verifyByKeySet(token, keySet, by), proof };
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
      // The signature is checked before the claims, so any other error is a fault of the token itself.
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** The refusal that the client gets for an error of jose. */
export function toAppError(error: unknown): AppError {
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
