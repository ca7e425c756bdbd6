import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../is-postgres.ts';

/** How many requests were served and refused over time, and the parts of reports that were written. */
export const usage: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('usage_reports')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('written_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('usage_reports_by_written_at')
      .ifNotExists()
      .on('usage_reports')
      .column('written_at')
      .execute();
    // The table comes last: code that finds it relies on the other one, too.
    await db.schema
      .createTable('usage_counts')
      .ifNotExists()
      .addColumn('span', 'bigint', (c) => c.notNull())
      .addColumn('requests', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('series', 'text', (c) => c.notNull())
      .addColumn('served', 'bigint', (c) => c.notNull())
      .addColumn('refused', 'bigint', (c) => c.notNull())
      // In the order of the queries: one kind over a time.
      .addPrimaryKeyConstraint('usage_counts_pk', ['span', 'requests', 'kind', 'at', 'series'])
      // The key is most of a row. A table beside its index would take twice the room.
      .$call((table) => (isPostgres(db) ? table : table.modifyEnd(sql`without rowid`)))
      .execute();
  },
};
