import type { JWTPayload } from 'jose';
import type { Issuer } from '../config/index.ts';
import { isContentId, type Principal, type TokenContents } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { holdsCredential } from '../log/index.ts';
import { type TextPool, textBytes } from '../memory/index.ts';
import { readClaim } from './read-claim.ts';

/** The rules for tokens of every issuer: about times. */
export interface TimeRules {
  /**
   * How far the issuer's clock may differ from ours. The tolerance favours the token for `exp`, `nbf` and `iat`, and
   * counts against it for revocation marks.
   */
  clockToleranceSeconds: number;
  /** Revocation marks are kept for this long, so no older token may pass. */
  maxAgeSeconds: number;
  /**
   * Whether a token without `iat` is refused. If it is accepted, it needs an `exp` within `maxAgeSeconds`, and every
   * mark holds against it.
   */
  requireIssuedAt: boolean;
}

/**
 * The rules for a viewer's token of one issuer beyond its signature, and the contents that it can open. The audience claim holds a text or
 * a list of texts. Its name and the names of the viewer and content claims are such as `readClaim` takes. Without a content claim that is
 * not required, a token opens all contents.
 */
export interface TokenRules
  extends TimeRules,
    Omit<Issuer, 'name' | 'isEntry' | 'secrets' | 'jwksUrl' | 'contents'> {
  /** Prefixes of other issuers that begin with this issuer's: no viewer of this one may have such an id. */
  foreignPrefixes: readonly string[];
  /** The contents that tokens of this issuer can open, whatever they claim; null: all. */
  issuerContents: TokenContents | null;
}

/** Longer than any account id; fits an index of Postgres, whose entries hold some 2,700 bytes (nbtree, BTMaxItemSize). */
const maxViewerIdBytes = 1_024;

/** The claims that say when a token is valid: seconds since 1970 (RFC 7519 section 2, NumericDate). */
interface TokenTimes {
  exp?: number | undefined;
  nbf?: number | undefined;
  iat?: number | undefined;
}

/** Whether the times in a token's claims allow it now. */
export function isTokenTimely(times: TokenTimes, rules: TimeRules, nowMs: number): boolean {
  return findUntimely(times, rules, nowMs) === null;
}

/** Why the times in a token's claims do not allow it now, worded for its issuer; null where they allow it. */
function findUntimely({ exp, nbf, iat }: TokenTimes, rules: TimeRules, nowMs: number): string | null {
  const now = nowMs / 1_000;
  const { clockToleranceSeconds: tolerance, maxAgeSeconds } = rules;
  if (exp === undefined || exp + tolerance <= now) return 'It has expired.';
  if (nbf !== undefined && nbf - tolerance > now) return 'It is not valid yet (nbf).';
  if (iat === undefined) {
    if (rules.requireIssuedAt) return 'Its claim iat is missing: the time at which it was issued.';
    return exp - now <= maxAgeSeconds
      ? null
      : `It has no iat, and its exp is more than ${maxAgeSeconds} seconds away.`;
  }
  // A token from the future would outlive every mark.
  if (iat - tolerance > now) return 'Its claim iat is in the future: the clock of its issuer is ahead.';
  return now - iat <= maxAgeSeconds ? null : `It was not issued within the last ${maxAgeSeconds} seconds.`;
}

/** The parts of a token that decisions need. */
export interface ViewerClaims extends TokenTimes {
  /** The value of the viewer claim, usually `sub`, after the prefix of the issuer. */
  viewerId: string;
  /** The text of a `ContentList`; null where the token opens all contents. */
  contents: string | null;
  /** Memory that `contents` adds, in bytes: 0 where an equal list is kept already. */
  contentsBytes: number;
  /** Whether its `scope` claim has the word `upload`. */
  mayUpload: boolean;
}

/** @throws AppError INVALID_TOKEN where a claim is missing or not of its type */
export function readClaims(
  payload: JWTPayload,
  rules: TokenRules,
  nowMs: number,
  pool: TextPool,
): ViewerClaims {
  const { exp, nbf, iat } = payload;
  checkIssuer(payload, rules);
  checkTimes(payload, rules, nowMs);
  checkAudience(payload, rules);
  const viewerId = readViewerId(payload, rules);
  const ids = readContentIds(payload, rules);
  const contents = ids && listContents(ids, pool);
  return {
    viewerId,
    exp,
    nbf,
    iat,
    contents: contents?.text ?? null,
    contentsBytes: contents?.bytes ?? 0,
    mayUpload: typeof payload.scope === 'string' && payload.scope.split(' ').includes('upload'),
  };
}

export function checkTimes(payload: JWTPayload, rules: TimeRules, nowMs: number): void {
  if (payload.iat !== undefined && !Number.isFinite(payload.iat))
    throw refuseToken('Its claim iat has to be a number.');
  const untimely = findUntimely(payload, rules, nowMs);
  if (untimely) throw refuseToken(untimely);
}

/**
 * RFC 7519 section 4.1.1. An entry is chosen by an `iss` that is not verified yet. This checks the verified one, so no token is judged by
 * the rules of another issuer.
 */
export function checkIssuer({ iss }: JWTPayload, { issuers }: TokenRules): void {
  if (issuers.length > 0 && !issuers.includes(iss ?? '')) throw refuseClaim('iss', iss);
}

/** RFC 7519 section 4.1.3: one of several audiences is enough. */
export function checkAudience(payload: JWTPayload, { audiences, audienceClaim }: TokenRules): void {
  if (audiences.length === 0) return;
  const claim = readClaim(payload, audienceClaim);
  const named: unknown[] = Array.isArray(claim) ? claim : [claim];
  if (!audiences.some((audience) => named.includes(audience))) throw refuseClaim(audienceClaim, claim);
}

/** @returns the id with the prefix of the issuer, as leases, marks, limits and the log have it */
export function readViewerId(
  payload: JWTPayload,
  { viewerClaim: name, viewerPrefix, foreignPrefixes }: TokenRules,
): string {
  const own = readClaim(payload, name);
  if (own === undefined) throw refuseToken(`Its claim ${name} is missing: the id of the viewer.`);
  if (typeof own !== 'string' || own === '')
    throw refuseToken(`Its claim ${name} has to be a text that is not empty.`);
  const id = viewerPrefix + own;
  // No person or system has such an id. A NUL cannot be stored, and lone surrogates would all become the same character.
  if (Buffer.byteLength(id) > maxViewerIdBytes || /\p{Cc}/u.test(id) || !id.isWellFormed())
    throw refuseToken(`Its claim ${name} is not usable as an id.`);
  // It would be in every list, event and backup.
  if (holdsCredential(id)) throw refuseToken(`Its claim ${name} is an API key or a token, not an id.`);
  // One issuer could otherwise act for the viewers of another.
  if (foreignPrefixes.some((prefix) => id.startsWith(prefix)))
    throw refuseToken(`Its claim ${name} is not accepted: the viewers of another issuer have such ids.`);
  return id;
}

/** The principal that the claims describe. */
export function toViewer(
  { viewerId, iat, contents, mayUpload }: Omit<ViewerClaims, 'contentsBytes'>,
  rules: TokenRules,
): Extract<Principal, { kind: 'viewer' }> {
  return {
    kind: 'viewer',
    id: viewerId,
    issuedNotBefore: iat === undefined ? null : (iat - rules.clockToleranceSeconds) * 1_000,
    issuedAt: iat === undefined ? null : iat * 1_000,
    contents: contents === null ? rules.issuerContents : new ContentList(contents),
    issuerContents: rules.issuerContents,
    mayUpload,
  };
}

/**
 * The ids in the content claim, as far as tokens of the issuer can open them.
 *
 * @returns null where the token opens all contents that tokens of its issuer can open
 */
export function readContentIds(
  payload: JWTPayload,
  { contentClaim: name, contentClaimRequired, issuerContents }: TokenRules,
): readonly string[] | null {
  const claim = readClaim(payload, name);
  if (claim === undefined) return contentClaimRequired ? [] : null;
  const ids = typeof claim === 'string' ? claim.split(separator) : claim;
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== 'string')) {
    throw refuseToken(`Its claim ${name} has to be a text or a list of texts.`);
  }
  if (ids.includes('*')) return null;
  return issuerContents === null ? ids : ids.filter((id) => issuerContents.has(id));
}

/** A claim without which, or with whose value, no token is accepted. */
export function refuseClaim(name: string, value: unknown): AppError {
  return refuseToken(`Its claim ${name} is ${value === undefined ? 'missing' : 'not accepted'}.`);
}

/** Begins the detail of each refusal. */
export const refusalPrefix = 'The token is not accepted. ';

export function refuseToken(detail: string, cause?: unknown): AppError {
  return new AppError('INVALID_TOKEN', { detail: refusalPrefix + detail, cause });
}

/** The separator, also of ids in a claim that is one text. No id contains one, so a search for an id between two separators finds only whole ids. */
const separator = ' ';

/**
 * The ids in one text: 250 of them take 5 KB, where a set takes 20 KB. Finding one of 250 takes less than a microsecond;
 * verifying the token takes a hundred.
 */
class ContentList implements TokenContents {
  readonly #text: string;

  /** @param text as made by `listContents`. The text is what is remembered; the list around it is made for each request */
  constructor(text: string) {
    this.#text = text;
  }

  has(contentId: string): boolean {
    return isContentId(contentId) && this.#text.includes(separator + contentId + separator);
  }

  *values(): Generator<string> {
    for (let from = 1, to = 0; from < this.#text.length; from = to + 1) {
      to = this.#text.indexOf(separator, from);
      yield this.#text.slice(from, to);
    }
  }
}

/**
 * @param ids texts that cannot be the id of a content are left out, because no request can name them
 * @param pool keeps equal lists once, such as the lists of one subscription
 * @returns the text of a `ContentList`, and the bytes that it adds beyond what other lists take already
 */
function listContents(ids: Iterable<string>, pool: TextPool): { text: string; bytes: number } {
  const possible = [...new Set(ids)].filter((id) => isContentId(id));
  const text = separator + possible.map((id) => id + separator).join('');
  const bytes = pool.has(text) ? 0 : textBytes(text);
  return { text: pool.share(text), bytes };
}
