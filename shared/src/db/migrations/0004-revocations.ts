import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Revocations by viewer, content or both, and how far the rows of their leases have been written. */
export const revocations: Migration = {
  async up(db: Kysely<unknown>) {
    await addAffected(db);
    const isPostgres = db.getExecutor().adapter.supportsTransactionalDdl === true;
    // The table comes last: code that finds it relies on the column of the audit, too.
    await db.schema
      .createTable('revocations')
      .ifNotExists()
      // As in the audit: an integer primary key counts by itself in SQLite.
      .addColumn('number', isPostgres ? 'bigint' : 'integer', (c) =>
        isPostgres ? c.primaryKey().generatedAlwaysAsIdentity() : c.primaryKey(),
      )
      .addColumn('viewer_id', 'text', (c) => c.notNull())
      .addColumn('content_id', 'text', (c) => c.notNull())
      .addColumn('created_after', 'bigint', (c) => c.notNull())
      .addColumn('revoked_up_to', 'bigint', (c) => c.notNull())
      .addColumn('expiring_after', 'bigint', (c) => c.notNull())
      .addColumn('revoked_at', 'bigint', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('audit_number', 'bigint')
      .addColumn('written', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('cursor_at', 'bigint')
      .addColumn('cursor_id', 'text')
      .addColumn('finished_at', 'bigint')
      .execute();
    await createIndex(db, ['content_id', 'viewer_id', 'revoked_up_to']);
    await createIndex(db, ['finished_at', 'number']);
    // Small however many are kept: every look-up of a lease asks whether a revocation that is being written covers it.
    await db.schema
      .createIndex('revocations_unfinished')
      .ifNotExists()
      .on('revocations')
      .columns(['content_id', 'viewer_id', 'revoked_up_to', 'finished_at'])
      .where('finished_at', 'is', null)
      .execute();
  },
};

/** SQLite cannot add a column only where it is missing, and runs this again after it was stopped half-way. */
async function addAffected(db: Kysely<unknown>) {
  if (db.getExecutor().adapter.supportsTransactionalDdl !== true) {
    const { rows } = await sql`select 1 from pragma_table_info('audit') where name = 'affected'`.execute(db);
    if (rows.length > 0) return;
  }
  await db.schema.alterTable('audit').addColumn('affected', 'bigint').execute();
}

async function createIndex(db: Kysely<unknown>, columns: string[]) {
  await db.schema
    .createIndex(`revocations_by_${columns.join('_')}`)
    .ifNotExists()
    .on('revocations')
    .columns(columns)
    .execute();
}
