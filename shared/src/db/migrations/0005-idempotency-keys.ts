import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Answers that are kept for requests with an `Idempotency-Key`: see `shared/src/idempotency`. Each service has its own table, because
 * answers of the lease service name viewers.
 */
export const idempotencyKeys: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['auth_idempotency_keys', 'lease_idempotency_keys']) {
      await db.schema
        .createTable(table)
        .addColumn('id', 'text', (c) => c.primaryKey().notNull())
        .addColumn('body_hash', 'text', (c) => c.notNull())
        .addColumn('answered_at', 'bigint', (c) => c.notNull())
        .addColumn('status', 'bigint', (c) => c.notNull())
        .addColumn('answer', 'text', (c) => c.notNull())
        .execute();
      await db.schema.createIndex(`${table}_by_answered_at`).on(table).column('answered_at').execute();
    }
  },
};
