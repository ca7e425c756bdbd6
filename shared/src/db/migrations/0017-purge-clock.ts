import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The time by which purges remove rows: see `shared/src/db/purge-clock.ts`. */
export const purgeClock: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('purge_clock')
      .ifNotExists()
      .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
      .addColumn('trusted_at', 'bigint', (c) => c.notNull())
      .addColumn('step_at', 'bigint', (c) => c.notNull())
      .addColumn('step_lasted_ms', 'bigint', (c) => c.notNull())
      .execute();
    await sql`insert into purge_clock (id, trusted_at, step_at, step_lasted_ms) values (1, 0, 0, 0) on conflict do nothing`.execute(
      db,
    );
  },
};
