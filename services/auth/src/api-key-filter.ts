import { type Scope, toLimitedScope } from '@latchkey/shared/contracts';
import { isPostgres, type NamedBy } from '@latchkey/shared/db';
import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Schema, Transaction } from './own-tables.ts';

export const apiKeyStatuses = ['active', 'revoked', 'expired'] as const;
type ApiKeyStatus = (typeof apiKeyStatuses)[number];

export const apiKeyExpiries = ['never', 'within-14-days'] as const;
type ApiKeyExpiry = (typeof apiKeyExpiries)[number];

const dayMs = 86_400_000;
/** The bound of `within-14-days`. */
const soonMs = 14 * dayMs;

/** Which API keys a list shows. A member that is left out filters nothing. */
export interface ApiKeyFilter {
  /** Part of a name, or the beginning of a raw key. */
  search?: string | undefined;
  status?: ApiKeyStatus | undefined;
  scope?: Scope | undefined;
  expires?: ApiKeyExpiry | undefined;
  /** Neither used nor created within this number of days. */
  unusedDays?: number | undefined;
  /** The contents that exist for a limited API key: it sees the keys that are limited to those or fewer. */
  within?: NamedBy | undefined;
}

type Builder = ExpressionBuilder<Schema, 'api_keys'>;

/** @param now milliseconds since 1970 */
export function matchesFilter(eb: Builder, filter: ApiKeyFilter, now: number): Expression<SqlBool> {
  const { search, status, scope, expires, unusedDays } = filter;
  return eb.and([
    ...(search === undefined ? [] : [matchesText(eb, search)]),
    ...(status === undefined ? [] : [isInStatus(eb, status, now)]),
    ...(scope === undefined ? [] : [eb('scope', 'in', [scope, toLimitedScope(scope)])]),
    ...(expires === undefined ? [] : [endsSo(eb, expires, now)]),
    ...(unusedDays === undefined ? [] : [isUnusedSince(eb, now - unusedDays * dayMs)]),
  ]);
}

/** Whether the caller's patterns cover all patterns of a key: `isWithinPatterns` in SQL. */
export function isLimitedTo(db: Database | Transaction, within: NamedBy): RawBuilder<boolean> {
  const patterns = isPostgres(db)
    ? sql`json_array_elements_text(contents::json) as named (value)`
    : sql`json_each(contents) as named`;
  return sql`contents is not null and not exists (select 1 from ${patterns} where not ${within(sql.ref('named.value'))})`;
}

/** A revoked key stays revoked after its expiry. */
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
    // It follows from the second condition, but the index needs it.
    eb('created_at', '<=', since),
    eb(eb.fn.coalesce('last_used_at', 'created_at'), '<=', since),
  ]);
}

/** The database folds case. Beyond ASCII, Postgres does so if its locale can, and SQLite does not. */
function matchesText(eb: Builder, search: string): Expression<SqlBool> {
  // Escapes the wildcards of LIKE.
  const literal = search.replace(/[\\%_]/g, '\\$&');
  return eb.or([
    sql<boolean>`lower(name) like lower(${`%${literal}%`}) escape '\\'`,
    sql<boolean>`key_prefix like lower(${`${literal}%`}) escape '\\'`,
  ]);
}
