import type { Scope } from '@latchkey/shared/contracts';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from './own-tables.ts';

export const apiKeyStatuses = ['active', 'revoked', 'expired'] as const;
type ApiKeyStatus = (typeof apiKeyStatuses)[number];

export const apiKeyExpiries = ['never', 'within-14-days'] as const;
type ApiKeyExpiry = (typeof apiKeyExpiries)[number];

const dayMs = 86_400_000;
/** What `within-14-days` says. */
const soonMs = 14 * dayMs;

/** Which API keys a list shows. What is left out leaves none out. */
export interface ApiKeyFilter {
  /** Part of a name, or the beginning of a raw key. */
  search?: string | undefined;
  status?: ApiKeyStatus | undefined;
  scope?: Scope | undefined;
  expires?: ApiKeyExpiry | undefined;
  /** Not used for so many days, and not created within them either. */
  unusedDays?: number | undefined;
}

type Builder = ExpressionBuilder<Schema, 'api_keys'>;

/** @param now milliseconds since 1970 */
export function matchesFilter(eb: Builder, filter: ApiKeyFilter, now: number): Expression<SqlBool> {
  const { search, status, scope, expires, unusedDays } = filter;
  return eb.and([
    ...(search === undefined ? [] : [matchesText(eb, search)]),
    ...(status === undefined ? [] : [isInStatus(eb, status, now)]),
    ...(scope === undefined ? [] : [eb('scope', '=', scope)]),
    ...(expires === undefined ? [] : [endsSo(eb, expires, now)]),
    ...(unusedDays === undefined ? [] : [isUnusedSince(eb, now - unusedDays * dayMs)]),
  ]);
}

/** A revocation stays one when the time runs out as well. */
function isInStatus(eb: Builder, status: ApiKeyStatus, now: number): Expression<SqlBool> {
  if (status === 'revoked') return eb('revoked_at', 'is not', null);
  const ended = eb('expires_at', '<=', now);
  const going = eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]);
  return eb.and([eb('revoked_at', 'is', null), status === 'expired' ? ended : going]);
}

function endsSo(eb: Builder, expires: ApiKeyExpiry, now: number): Expression<SqlBool> {
  if (expires === 'never') return eb('expires_at', 'is', null);
  return eb.and([eb('expires_at', '>', now), eb('expires_at', '<=', now + soonMs)]);
}

function isUnusedSince(eb: Builder, since: number): Expression<SqlBool> {
  return eb.and([
    // Follows from the second, and is what the index knows.
    eb('created_at', '<=', since),
    eb(eb.fn.coalesce('last_used_at', 'created_at'), '<=', since),
  ]);
}

/** Case is the database's to fold: beyond ASCII, Postgres does it where its locale knows how, and SQLite does not. */
function matchesText(eb: Builder, search: string): Expression<SqlBool> {
  // What LIKE gives a meaning stands for itself.
  const literal = search.replace(/[\\%_]/g, '\\$&');
  return eb.or([
    sql<boolean>`lower(name) like lower(${`%${literal}%`}) escape '\\'`,
    sql<boolean>`key_prefix like lower(${`${literal}%`}) escape '\\'`,
  ]);
}
