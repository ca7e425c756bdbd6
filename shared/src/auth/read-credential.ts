import type { IncomingHttpHeaders } from 'node:http';
import { type Principal, parseSid } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { apiKeyPrefix } from './api-key.ts';
import { refuseToken } from './token-claims.ts';

/** Where a viewer's token may be found in a request (`VIEWER_TOKEN_FROM`). */
export type CredentialSource = 'header' | 'query' | 'cookie';

/** Compact JWS (RFC 7515 section 7.1); its header is a JSON object, and `{"` is `ey` in base64url. */
export const tokenPattern = /^ey[\w-]*\.[\w-]*\.[\w-]*$/;
const bearer = /^bearer +([^\s]+) *$/i;
const basic = /^basic +([A-Za-z0-9+/]+=*) *$/i;

/** The credential of `Authorization: Bearer …` (RFC 6750 section 2.1; the scheme in any case, RFC 9110 section 11.1). */
export function readBearer(headers: IncomingHttpHeaders): string | null {
  const { authorization } = headers;
  return authorization === undefined ? null : (bearer.exec(authorization)?.[1] ?? null);
}

/** The password of `Authorization: Basic …` (RFC 7617 section 2). Its user name may be anything. */
export function readBasicPassword(headers: IncomingHttpHeaders): string | null {
  const encoded = basic.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : pair.slice(colon + 1) || null;
}

/** Whether the header presents an API key, known or not. */
export function presentsApiKey(headers: IncomingHttpHeaders): boolean {
  return readBearer(headers)?.startsWith(apiKeyPrefix) === true;
}

/**
 * The credentials of the first place that has one: header, then query (`access_token`), then cookies, as far as each is allowed. An API key
 * always comes in the header (`docs/reference/contract.md#scopes`): the sources apply to viewers' tokens. Only cookies can be several.
 *
 * @throws AppError INVALID_TOKEN where the query or the cookies hold something other than tokens
 */
export function readCredentials(
  headers: IncomingHttpHeaders,
  query: unknown,
  sources: readonly CredentialSource[],
): readonly string[] {
  const presented = readBearer(headers);
  if (presented !== null && (sources.includes('header') || !tokenPattern.test(presented))) return [presented];
  const inQuery = sources.includes('query') ? readQuery(query) : [];
  const found = inQuery.length === 0 && sources.includes('cookie') ? readCookies(headers.cookie) : inQuery;
  const tokens = found.filter((text) => tokenPattern.test(text));
  if (tokens.length === 0 && found.length > 0)
    throw refuseToken('It is malformed. An API key comes in the header alone.');
  return tokens;
}

function readQuery(query: unknown): string[] {
  const value = (query as Record<string, unknown> | undefined)?.access_token;
  return typeof value === 'string' && value !== '' ? [value] : [];
}

/** Finds the cookies without splitting the header: 16 KiB of `;` would be as many texts, and take a millisecond of each request. */
const cookiePair = /(?:^|;)\s*latchkey_token=([^;]*)/g;
/**
 * A browser keeps cookies of one name apart by domain and path (RFC 6265 section 5.3). Four: the host and its parent domain can each have
 * one with the path of the keys and one with `/`. A forged one costs up to 140 µs, so four cost a stranger's request half a millisecond.
 */
const mostCookies = 4;

/** The cookies' values (RFC 6265 section 4.2), the longest path first (section 5.4). A JWT needs neither quotes nor escapes. */
function readCookies(header = ''): string[] {
  const values: string[] = [];
  for (const [, value = ''] of header.matchAll(cookiePair))
    if (values.push(value.trim()) === mostCookies) break;
  return values.filter((value) => value !== '');
}

/**
 * Reads the id of a session, which is its only credential (`docs/reference/contract.md#sessions`). Whether the session exists is not checked.
 *
 * @throws AppError INVALID_SESSION where the value cannot be the id of a session: then nothing is read
 */
export function readSession(sid: unknown): Extract<Principal, { kind: 'session' }> {
  const session = typeof sid === 'string' ? parseSid(sid) : null;
  if (!session) throw new AppError('INVALID_SESSION');
  return { kind: 'session', id: session.leaseId, session };
}
