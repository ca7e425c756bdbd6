import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Indexes for lists in other orders than by time: contents by their name, which also finds those whose name or id begins so, and API keys by
 * their expiry. The code before this migration runs on it, and the code after it runs, more slowly, without.
 *
 * Each holds what its list filters by, so that rows that do not match are not read.
 */
export const listOrders: Migration = {
  async up(db: Kysely<unknown>) {
    const isPostgres = db.getExecutor().adapter.supportsTransactionalDdl === true;
    // SQLite compares bytes. Most collations of Postgres do not keep the texts with the same beginning together.
    const bytes = isPostgres ? sql` collate "C"` : sql``;
    const create = (name: string, table: string, columns: ReturnType<typeof sql>) =>
      db.schema.createIndex(name).ifNotExists().on(table).expression(columns).execute();
    await create('contents_by_search_text', 'contents', sql`search_text${bytes}, id, status`);
    // On SQLite the primary key serves.
    if (isPostgres) await create('contents_by_id_bytes', 'contents', sql`id${bytes}`);
    // A key that never expires comes after all others: the number is Number.MAX_SAFE_INTEGER.
    await create(
      'api_keys_by_expiry_and_facts',
      'api_keys',
      sql`coalesce(expires_at, 9007199254740991), id, scope, revoked_at, expires_at, created_at, key_prefix, name`,
    );
  },
};
