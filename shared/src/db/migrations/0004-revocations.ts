import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumns } from './add-columns.ts';

/** Revocations by viewer, content or both, and how far the rows of their leases have been written. */
export const revocations: Migration = {
  async up(db: Kysely<unknown>) {
    await addColumns(db, 'audit', { affected: 'bigint' });
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

async function createIndex(db: Kysely<unknown>, columns: string[]) {
  await db.schema
    .createIndex(`revocations_by_${columns.join('_')}`)
    .ifNotExists()
    .on('revocations')
    .columns(columns)
    .execute();
}
