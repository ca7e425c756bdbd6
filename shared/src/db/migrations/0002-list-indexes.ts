import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

// Only indexes: the code before this migration runs on it, and the code after it runs, more slowly, without.
// Each is made where it is not there yet, so whoever cannot have writes wait on a large Postgres makes them beforehand, by
// these names, with CREATE INDEX CONCURRENTLY, which no transaction may hold.
// What a list leaves out stands in the index's condition; the column of that condition is in the index all the same, because
// SQLite would look it up in the row.

interface Index {
  name: string;
  table: string;
  columns: readonly string[];
  /** Rows of leases that are in the index. */
  only?: 'open' | 'revoked';
}

const indexes: readonly Index[] = [
  // Every filter of the list but the last use, which changes too often to be in an index.
  {
    name: 'api_keys_by_created_at_and_facts',
    table: 'api_keys',
    columns: ['created_at', 'id', 'scope', 'revoked_at', 'expires_at', 'key_prefix', 'name'],
  },
  { name: 'api_keys_by_revoked_at_expires_at', table: 'api_keys', columns: ['revoked_at', 'expires_at'] },
  {
    name: 'contents_by_created_at_and_text',
    table: 'contents',
    columns: ['created_at', 'id', 'status', 'search_text'],
  },
  { name: 'audit_by_actor_kind_number', table: 'audit', columns: ['actor_kind', 'number'] },
  { name: 'audit_by_outcome_number', table: 'audit', columns: ['outcome', 'number'] },
  { name: 'audit_by_target_number', table: 'audit', columns: ['target', 'number'] },
  { name: 'audit_by_at', table: 'audit', columns: ['at'] },
  // Leases last, because it is their writes that must not wait. The first counts the active ones without reading a row.
  {
    name: 'leases_open_by_expires_at',
    table: 'leases',
    columns: ['expires_at', 'revoked_at'],
    only: 'open',
  },
  {
    name: 'leases_open_by_created_at',
    table: 'leases',
    columns: ['created_at', 'id', 'expires_at', 'revoked_at'],
    only: 'open',
  },
  // Without the id, so that it stays half as large as the table and is worth reading to count the leases of one content.
  {
    name: 'leases_open_by_content_id',
    table: 'leases',
    columns: ['content_id', 'created_at', 'expires_at', 'revoked_at'],
    only: 'open',
  },
  // Counts those of a viewer without reading a row: a test account, or a viewer of a broken player, has a great many.
  {
    name: 'leases_open_by_viewer_id',
    table: 'leases',
    columns: ['viewer_id', 'created_at', 'expires_at', 'revoked_at'],
    only: 'open',
  },
  { name: 'leases_revoked_by_created_at', table: 'leases', columns: ['created_at', 'id'], only: 'revoked' },
  {
    name: 'leases_revoked_by_content_id',
    table: 'leases',
    columns: ['content_id', 'created_at', 'id'],
    only: 'revoked',
  },
];

/** What the lists and counts of a large installation are read by. */
export const listIndexes: Migration = {
  async up(db: Kysely<unknown>) {
    for (const { name, table, columns, only } of indexes) {
      const index = db.schema
        .createIndex(name)
        .ifNotExists()
        .on(table)
        .columns([...columns]);
      await (only ? index.where('revoked_at', only === 'open' ? 'is' : 'is not', null) : index).execute();
    }
  },
};
