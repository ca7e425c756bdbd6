import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

// SQLite does not run this in a transaction, so each statement can be run twice: a process killed half-way goes on.
export const initial: Migration = {
  async up(db: Kysely<unknown>) {
    await createAuthTables(db);
    await createLeaseTables(db);
    await createContentTables(db);
    await createFeedTables(db);
  },
};

async function createAuthTables(db: Kysely<unknown>) {
  await db.schema
    .createTable('api_keys')
    .ifNotExists()
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull().unique())
    .addColumn('key_prefix', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute();
  await createIndex(db, 'api_keys', ['created_at', 'id']);
  await db.schema
    .createTable('setup_claim')
    .ifNotExists()
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('touched_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('audit')
    .ifNotExists()
    // An integer primary key counts by itself in SQLite; Postgres needs to be told, and its integer ends at 2^31: a flood
    // of refusals gets there within days.
    .addColumn('number', isPostgres(db) ? 'bigint' : 'integer', (c) =>
      isPostgres(db) ? c.primaryKey().generatedAlwaysAsIdentity() : c.primaryKey(),
    )
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor_kind', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target', 'text')
    .addColumn('client_ip', 'text')
    .addColumn('request_id', 'text')
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('code', 'text')
    .execute();
  await createIndex(db, 'audit', ['action', 'number']);
  await createIndex(db, 'audit', ['actor_id', 'number']);
}

async function createLeaseTables(db: Kysely<unknown>) {
  await db.schema
    .createTable('leases')
    .ifNotExists()
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('viewer_id', 'text', (c) => c.notNull())
    .addColumn('content_id', 'text', (c) => c.notNull())
    .addColumn('device_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('renewed_at', 'bigint')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .addColumn('revoked_by', 'text')
    .addColumn('reason', 'text')
    .execute();
  await createIndex(db, 'leases', ['created_at', 'id']);
  await createIndex(db, 'leases', ['viewer_id', 'created_at', 'id']);
  await createIndex(db, 'leases', ['content_id', 'created_at', 'id']);
  await createIndex(db, 'leases', ['expires_at']);
  await db.schema
    .createTable('marks')
    .ifNotExists()
    .addColumn('viewer_id', 'text', (c) => c.notNull())
    .addColumn('content_id', 'text', (c) => c.notNull())
    .addColumn('marked_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('marks_pk', ['viewer_id', 'content_id'])
    .execute();
  await createIndex(db, 'marks', ['marked_at']);
}

async function createContentTables(db: Kysely<unknown>) {
  await db.schema
    .createTable('contents')
    .ifNotExists()
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('key_version', 'integer', (c) => c.notNull())
    .addColumn('size_bytes', 'bigint')
    .addColumn('manifest_key', 'text')
    .addColumn('metadata', 'text', (c) => c.notNull())
    .addColumn('search_text', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'contents', ['created_at', 'id']);
  await createIndex(db, 'contents', ['status', 'created_at', 'id']);
  await db.schema
    .createTable('key_versions')
    .ifNotExists()
    .addColumn('version', 'integer', (c) => c.primaryKey())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('first_used_at', 'bigint', (c) => c.notNull())
    .execute();
}

async function createFeedTables(db: Kysely<unknown>) {
  await db.schema
    .createTable('changes')
    .ifNotExists()
    .addColumn('number', 'bigint', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('change', 'text', (c) => c.notNull())
    .execute();
  await createIndex(db, 'changes', ['at']);
  for (const [table, column] of [
    ['change_counter', 'number'],
    ['ready_probe', 'at'],
  ] as const) {
    await db.schema
      .createTable(table)
      .ifNotExists()
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn(column, 'bigint', (c) => c.notNull())
      .execute();
    await sql`insert into ${sql.table(table)} (id, ${sql.ref(column)}) values (1, 0) on conflict do nothing`.execute(
      db,
    );
  }
}

async function createIndex(db: Kysely<unknown>, table: string, columns: string[]) {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .ifNotExists()
    .on(table)
    .columns(columns)
    .execute();
}

function isPostgres(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter.supportsTransactionalDdl === true;
}
