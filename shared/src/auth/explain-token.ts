import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import type { Clock } from '../clock/clock.ts';
import type { AppError } from '../errors/errors.ts';
import { createIssuerTable, type TokenIssuer } from './issuer-table.ts';
import {
  checkAudience,
  checkIssuer,
  checkTimes,
  readContentIds,
  readViewerId,
  refusalPrefix,
} from './token-claims.ts';
import { createSignatureVerifier, toAppError } from './verify-signature.ts';

/** One step of the verification of a token. */
export interface TokenStep {
  step: 'issuer' | 'signature' | 'times' | 'audience' | 'viewer' | 'content claim' | 'contents';
  /** False where the token is refused by it, or opens nothing because of it. */
  holds: boolean;
  /** For the operator, without a full stop. Never the token. */
  says: string;
}

/** Contents that are named. A token may have hundreds. */
const namedContents = 10;

/**
 * Verifies a token with the functions of `TokenVerifier`, step by step, and goes on after a claim that is refused. Without an issuer or a
 * valid signature it ends there, because nothing in the token can be relied on.
 */
export async function explainToken(
  token: string,
  issuers: readonly [TokenIssuer, ...TokenIssuer[]],
  clock: Pick<Clock, 'now'>,
): Promise<TokenStep[]> {
  const steps: TokenStep[] = [];
  const take = <T>(step: TokenStep['step'], work: () => T, describe: (found: T) => string): T | null => {
    try {
      const found = work();
      steps.push({ step, holds: true, says: describe(found) });
      return found;
    } catch (error) {
      steps.push({ step, holds: false, says: reasonOf(error) });
      return null;
    }
  };
  const issuer = take(
    'issuer',
    () => findIssuer(token, issuers),
    ({ name, rules }) =>
      rules.issuers.length === 0 ? `is ${name}, which accepts every iss` : `is ${name}, by its iss`,
  );
  if (!issuer) return steps;
  const { payload, untimely, refused } = await readPayload(token, issuer, clock);
  const says = refused === null ? 'was made with a key of the issuer' : reasonOf(refused);
  steps.push({ step: 'signature', holds: refused === null, says });
  if (payload) explainClaims(payload, issuer, clock.now(), untimely, take);
  return steps;
}

type Take = <T>(step: TokenStep['step'], work: () => T, describe: (found: T) => string) => T | null;

function findIssuer(token: string, issuers: readonly [TokenIssuer, ...TokenIssuer[]]): TokenIssuer {
  const issuer = createIssuerTable(issuers)(token);
  // A single issuer is found without a look at the token.
  checkIssuer(decodeJwt(token), issuer.rules);
  return issuer;
}

/** jose checks claims after the signature, so an error about a claim has a payload that the issuer has signed. */
async function readPayload(token: string, issuer: TokenIssuer, clock: Pick<Clock, 'now'>) {
  try {
    const verify = createSignatureVerifier(issuer, { issuer, generation: null }, clock);
    const { payload } = await verify(token);
    return { payload, untimely: null, refused: null };
  } catch (error) {
    if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed)
      return { payload: error.payload, untimely: error, refused: null };
    return { payload: null, untimely: null, refused: error };
  }
}

function explainClaims(
  payload: JWTPayload,
  { rules }: TokenIssuer,
  nowMs: number,
  untimely: Error | null,
  take: Take,
): void {
  take(
    'times',
    () => {
      if (untimely) throw untimely;
      checkTimes(payload, rules, nowMs);
    },
    () => `it expires ${toInstant(payload.exp)}, and was issued ${toInstant(payload.iat)}`,
  );
  take(
    'audience',
    () => checkAudience(payload, rules),
    () => (rules.audiences.length === 0 ? 'is not checked' : `in ${rules.audienceClaim} is accepted`),
  );
  take(
    'viewer',
    () => readViewerId(payload, rules),
    (id) =>
      rules.viewerPrefix === ''
        ? `is ${id}, by ${rules.viewerClaim}`
        : `is ${id}, by ${rules.viewerClaim} with the prefix ${rules.viewerPrefix}`,
  );
  const claimed = take(
    'content claim',
    () => ({ ids: readContentIds(payload, { ...rules, issuerContents: null }) }),
    ({ ids }) =>
      `${rules.contentClaim} opens ${ids === null ? 'everything, or is missing and not required' : describeIds(ids)}`,
  );
  if (!claimed) return;
  const bound = rules.issuerContents;
  take(
    'contents',
    () => {
      const ids = readContentIds(payload, rules);
      if (ids?.length === 0)
        throw new Error(
          bound === null || claimed.ids?.length === 0
            ? 'it opens nothing'
            : `it opens nothing: its issuer can open ${describeIds([...bound.values()])} only`,
        );
      return ids;
    },
    (ids) => `it opens ${describeIds(ids ?? (bound && [...bound.values()]))}`,
  );
}

function describeIds(ids: readonly string[] | null): string {
  if (ids === null) return 'everything';
  if (ids.length === 0) return 'nothing';
  const more = ids.length - namedContents;
  return ids.slice(0, namedContents).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function toInstant(seconds: number | undefined): string {
  const date = new Date((seconds ?? Number.NaN) * 1_000);
  return Number.isNaN(date.getTime()) ? 'at no known time' : date.toISOString();
}

function reasonOf(error: unknown): string {
  const { message } =
    error instanceof Error && error.name === 'Error' ? error : (toAppError(error) as AppError);
  const reason = message.replace(refusalPrefix, '').replace(/\.$/, '');
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}
