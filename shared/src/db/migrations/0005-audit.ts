import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumns } from './add-columns.ts';

/**
 * How many refusals a row of the audit stands for, and which rows may hold a raw key or token in clear: all that are there
 * now. No code uses this second part any more.
 */
export const audit: Migration = {
  async up(db: Kysely<unknown>) {
    await addColumns(db, 'audit', { count: 'bigint' });
    // The table comes last: code that finds it relies on the column, too.
    await db.schema
      .createTable('audit_cleaning')
      .ifNotExists()
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('done_to', 'bigint', (c) => c.notNull())
      .addColumn('last', 'bigint', (c) => c.notNull())
      .execute();
    const begun = sql`select 1, 0, coalesce(max(number), 0) from audit where true`;
    await sql`insert into audit_cleaning (id, done_to, last) ${begun} on conflict do nothing`.execute(db);
  },
};
