import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The migrations after the baseline, in order of their names. One that was released is never edited. */
export const additions: Readonly<Record<string, Migration>> = {
  /** Data of its owner for each API key, such as a ticket or a team: JSON as text, null for none. */
  '0002-api-key-metadata': addText('api_keys', 'metadata'),
  /** The processes that follow the change feed, and the change up to which somebody waits for them: see `shared/src/events/feed-roster.ts`. */
  '0003-followers': {
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
  },
  /**
   * The contents that a limited API key names: ids and prefixes as JSON, null for a key of all contents. The scope of a limited key begins
   * with `limited-`, which the release before does not know: it refuses the key, and does not open all contents to it.
   */
  '0004-limited-api-keys': addText('api_keys', 'contents'),
  /**
   * Answers that are kept for requests with an `Idempotency-Key`: see `shared/src/idempotency`. Each service has its own table, because
   * answers of the lease service name viewers.
   */
  '0005-idempotency-keys': {
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
        await addIndex(db, table, ['answered_at']);
      }
    },
  },
  /**
   * Viewers that get nothing, whatever their token. A table of their own and no columns of `marks`: the release before would remove them
   * with a mark that it purges or lifts.
   */
  '0006-viewer-blocks': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('viewer_blocks')
        .addColumn('viewer_id', 'text', (c) => c.primaryKey().notNull())
        .addColumn('blocked_at', 'bigint', (c) => c.notNull())
        .addColumn('blocked_until', 'bigint')
        .addColumn('reason', 'text')
        .execute();
      // For the list, newest first.
      await addIndex(db, 'viewer_blocks', ['blocked_at', 'viewer_id']);
      // For the purge.
      await addIndex(db, 'viewer_blocks', ['blocked_until']);
    },
  },
  /** The person whom a proxy with sign-on named, next to the API key that acted; null for none. */
  '0007-audit-person': addText('audit', 'person'),
};

function addText(table: string, column: string): Migration {
  return {
    up: async (db: Kysely<unknown>) =>
      void (await db.schema.alterTable(table).addColumn(column, 'text').execute()),
  };
}

async function addIndex(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
