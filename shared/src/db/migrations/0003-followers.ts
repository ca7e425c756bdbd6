import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The processes that follow the change feed, and the change up to which somebody waits for them: see `shared/src/events/feed-roster.ts`. */
export const followers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('followers')
      .addColumn('process', 'text', (c) => c.primaryKey().notNull())
      .addColumn('limit_ms', 'bigint', (c) => c.notNull())
      .addColumn('history', 'text')
      .addColumn('applied', 'bigint', (c) => c.notNull())
      .addColumn('suspect_since', 'bigint')
      .execute();
    await db.schema.alterTable('change_counter').addColumn('awaited', 'bigint').execute();
  },
};
