import type { Cursor, Database, Transaction } from '@latchkey/shared/db';
import type { ApiKeyEnd, ApiKeyRow } from './api-key.ts';

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
] as const;

type Connection = Database | Transaction;

export async function insertApiKey(db: Connection, row: ApiKeyRow): Promise<void> {
  await db.insertInto('api_keys').values(row).execute();
}

export async function findApiKeyById(db: Connection, id: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').select(columns).where('id', '=', id).executeTakeFirst();
}

/** @param keyHash SHA-256 of the raw key, 64 lower-case hex digits */
export async function findApiKeyByHash(db: Connection, keyHash: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').select(columns).where('key_hash', '=', keyHash).executeTakeFirst();
}

/** Whether any row is stored, revoked and expired ones included. */
export async function hasApiKeys(db: Connection): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Newest first, at most `limit` rows from after the cursor. */
export async function listApiKeys(
  db: Connection,
  { limit, after }: { limit: number; after: Cursor | null },
): Promise<ApiKeyRow[]> {
  let query = db.selectFrom('api_keys').select(columns);
  if (after) {
    query = query.where((eb) =>
      eb.or([
        eb('created_at', '<', after.at),
        eb.and([eb('created_at', '=', after.at), eb('id', '<', after.id)]),
      ]),
    );
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export async function setApiKeyEnd(db: Connection, id: string, end: ApiKeyEnd): Promise<void> {
  const { expires_at, revoked_at } = end;
  await db.updateTable('api_keys').set({ expires_at, revoked_at }).where('id', '=', id).execute();
}

/** Moves `last_used_at` forward; a time that is not later than the stored one changes nothing. */
export async function setLastUsedAt(db: Connection, id: string, usedAt: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: usedAt })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', usedAt)]))
    .execute();
}
