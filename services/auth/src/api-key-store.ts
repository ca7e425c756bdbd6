import { accessRules } from '@latchkey/shared/auth';
import { isWithinPatterns, type TokenContents } from '@latchkey/shared/contracts';
import { type Cursor, countUpTo, type NamedBy, readAside, rowList } from '@latchkey/shared/db';
import { sql } from 'kysely';
import { type ApiKeyEnd, type ApiKeyRow, apiKeyNotFound, contentsOfRow } from './api-key.ts';
import { type ApiKeyFilter, isLimitedTo, matchesFilter } from './api-key-filter.ts';
import type { Database, Transaction } from './own-tables.ts';

const columns = [
  'id',
  'name',
  'key_hash',
  'key_prefix',
  'scope',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'metadata',
  'contents',
] as const;

type Connection = Database | Transaction;

export async function insertApiKey(db: Connection, row: ApiKeyRow): Promise<void> {
  await db.insertInto('api_keys').values(row).execute();
}

export async function findApiKeyById(db: Connection, id: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').select(columns).where('id', '=', id).executeTakeFirst();
}

/**
 * @param visible the contents that exist for the caller; null for all. A limited caller sees the keys that are limited to those or fewer
 * @throws AppError API_KEY_NOT_FOUND, also for a key that the caller does not see
 */
export async function getApiKey(
  db: Connection,
  id: string,
  visible: TokenContents | null,
): Promise<ApiKeyRow> {
  const row = await findApiKeyById(db, id);
  if (!row) throw apiKeyNotFound();
  if (!visible) return row;
  const contents = contentsOfRow(row);
  if (contents && isWithinPatterns(contents, [...visible.values()])) return row;
  throw apiKeyNotFound();
}

/** @param keyHash SHA-256 of the raw key, 64 lower-case hex digits */
export async function findApiKeyByHash(db: Connection, keyHash: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').select(columns).where('key_hash', '=', keyHash).executeTakeFirst();
}

/** @param keyHashes as in `findApiKeyByHash` */
export async function findApiKeysByHash(db: Connection, keyHashes: readonly string[]): Promise<ApiKeyRow[]> {
  if (keyHashes.length === 0) return [];
  const given = rowList(
    db,
    { asked: 'text' } as const,
    keyHashes.map((asked) => ({ asked })),
  ).as('given');
  return db
    .selectFrom('api_keys')
    .select(columns)
    .where('key_hash', 'in', db.selectFrom(given).select('asked'))
    .execute();
}

/** Whether any key is stored, including revoked and expired ones. */
export async function hasApiKeys(db: Connection): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Whether a key is stored that can manage the server now. @param now milliseconds since 1970 */
export async function hasManagers(db: Connection, now: number): Promise<boolean> {
  const found = await db
    .selectFrom('api_keys')
    .select('id')
    .where('revoked_at', 'is', null)
    .where('scope', 'in', [...accessRules.manage.scopes])
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The orders of the list, the usual one first. Each order has an index. */
export const apiKeyOrders = ['-createdAt', 'createdAt', 'expiresAt', '-expiresAt'] as const;
type ApiKeyOrder = (typeof apiKeyOrders)[number];

/** Keys that never expire come after all others: as in their index, which needs the same words. */
const expiry = sql<number>`coalesce(expires_at, 9007199254740991)`;

/** The cursor of a list that ends with this row. */
export function apiKeyCursorOf(order: ApiKeyOrder, row: ApiKeyRow): Cursor {
  const at = order.endsWith('expiresAt') ? (row.expires_at ?? Number.MAX_SAFE_INTEGER) : row.created_at;
  return { at, id: row.id };
}

interface ApiKeyPage {
  now: number;
  limit: number;
  after: Cursor | null;
  order?: ApiKeyOrder;
}

/**
 * Newest first or in the order given, at most `limit` rows from after the cursor.
 *
 * @param now milliseconds since 1970: the time from which states and filters are computed
 */
export async function listApiKeys(
  db: Connection,
  filter: ApiKeyFilter,
  { now, limit, after, order = '-createdAt' }: ApiKeyPage,
): Promise<ApiKeyRow[]> {
  const direction = order.startsWith('-') ? 'desc' : 'asc';
  const by = order.endsWith('expiresAt') ? expiry : sql<number>`created_at`;
  const isLater = sql.raw(direction === 'desc' ? '<' : '>');
  // Reads the ids first, from the index alone: rows of keys that do not match are not read.
  const matching = db
    .selectFrom('api_keys')
    .select('id')
    .where((eb) => matchesFilter(eb, filter, now))
    .$if(filter.within !== undefined, (query) => query.where(isLimitedTo(db, filter.within as NamedBy)))
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(${by}, id) ${isLater} (${after?.at ?? 0}, ${after?.id ?? ''})`),
    )
    .orderBy(by, direction)
    .orderBy('id', direction)
    .limit(limit);
  const query = db
    .selectFrom('api_keys')
    .select(columns)
    .where('id', 'in', matching)
    .orderBy(by, direction)
    .orderBy('id', direction);
  // The few keys that a limited API key sees may be spread over all others.
  return filter.within ? readAside(db, query) : query.execute();
}

/** More than an installation has. */
const countedAtMost = 100_000;

/** How many a list of this filter has on all its pages, counted up to 100,000. @param now as of `listApiKeys` */
export function countApiKeys(db: Database, filter: ApiKeyFilter, now: number): Promise<number> {
  const matching = db
    .selectFrom('api_keys')
    .select('id')
    .where((eb) => matchesFilter(eb, filter, now))
    .$if(filter.within !== undefined, (query) => query.where(isLimitedTo(db, filter.within as NamedBy)))
    // As in the list: otherwise SQLite reads the table for some filters. These two have an index of their own, and need no sorting.
    .$if(filter.status !== 'active' || filter.expires === undefined, (query) =>
      query.orderBy('created_at', 'desc'),
    );
  return countUpTo(db, (limit) => matching.limit(limit), countedAtMost, filter.within !== undefined);
}

/** Active keys without an expiry. */
export async function countUnendingApiKeys(db: Connection): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

export async function setApiKeyEnd(db: Connection, id: string, end: ApiKeyEnd): Promise<void> {
  const { expires_at, revoked_at } = end;
  await db.updateTable('api_keys').set({ expires_at, revoked_at }).where('id', '=', id).execute();
}

export async function updateApiKey(
  db: Connection,
  id: string,
  changes: Partial<Pick<ApiKeyRow, 'name' | 'expires_at' | 'metadata'>>,
): Promise<void> {
  await db.updateTable('api_keys').set(changes).where('id', '=', id).execute();
}

/** Moves `last_used_at` forward. An earlier time than the stored one changes nothing. */
export async function setLastUsedAt(db: Connection, id: string, usedAt: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: usedAt })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', usedAt)]))
    .execute();
}

/** The one row of the table. */
const claimId = 1;

/**
 * Lets transactions that create API keys take turns, until the end of this one. On Postgres they lock the claim's row, which the
 * first caller makes. SQLite has one writer at a time anyway. Later reads of the same transaction hold until its end.
 *
 * @param now milliseconds since 1970
 */
export async function lockSetupClaim(tx: Transaction, now: number): Promise<void> {
  await tx
    .insertInto('setup_claim')
    .values({ id: claimId, touched_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ touched_at: now }))
    .execute();
}

/**
 * Active keys that expire later than `after` and up to `until` (milliseconds since 1970), by their expiry.
 *
 * @param last the last key of the page before
 */
export async function listExpiringApiKeys(
  db: Connection,
  { after, until, last, limit }: { after: number; until: number; last: ApiKeyRow | undefined; limit: number },
): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .select(columns)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', after)
    .where('expires_at', '<=', until)
    .$if(last !== undefined, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('expires_at', 'id'), '>', eb.tuple(last?.expires_at ?? 0, last?.id ?? '')),
      ),
    )
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}
