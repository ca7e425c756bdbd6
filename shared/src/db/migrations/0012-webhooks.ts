import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The chains of the audit whose rows become events. What strangers were refused is not among them. */
const followed = ['acts', 'refusals'];

/** Webhooks, what they send, how far the audit was read for them, and the alerts that are under way. */
export const webhooks: Migration = {
  async up(db: Kysely<unknown>) {
    await createDeliveries(db);
    await db.schema
      .createTable('webhook_progress')
      .ifNotExists()
      .addColumn('chain', 'text', (c) => c.primaryKey().notNull())
      .addColumn('place', 'bigint', (c) => c.notNull())
      .execute();
    for (const chain of followed)
      await sql`insert into webhook_progress (chain, place) values (${chain}, 0) on conflict do nothing`.execute(
        db,
      );
    await db.schema
      .createTable('alerts')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('severity', 'text', (c) => c.notNull())
      .addColumn('title', 'text', (c) => c.notNull())
      .addColumn('advice', 'text', (c) => c.notNull())
      .addColumn('started_at', 'bigint', (c) => c.notNull())
      .addColumn('seen_at', 'bigint', (c) => c.notNull())
      .execute();
    // Keys that expire soon are looked for every few seconds, among all.
    await db.schema
      .createIndex('api_keys_by_expires_at')
      .ifNotExists()
      .on('api_keys')
      .column('expires_at')
      .execute();
    // The table comes last: code that finds it relies on the others, too.
    await db.schema
      .createTable('webhooks')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('previous_secret', 'text')
      .addColumn('previous_until', 'bigint')
      .addColumn('events', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('paused_by', 'text')
      .addColumn('expiring_to', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('dropped', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('deaf', 'text', (c) => c.notNull().defaultTo('[]'))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('updated_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhook_deliveries')
    .ifNotExists()
    // Made of the webhook and the event: the same event twice is the same row.
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('webhook_id', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('changed_at', 'bigint', (c) => c.notNull())
    .addColumn('next_try_at', 'bigint', (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('last_try_at', 'bigint')
    .addColumn('last_status', 'integer')
    .addColumn('last_error', 'text')
    .execute();
  const indexes = {
    // What is due.
    webhook_deliveries_by_state: ['webhook_id', 'state', 'next_try_at'],
    // The two lists: all, and those in one state.
    webhook_deliveries_by_created_at: ['webhook_id', 'created_at', 'id'],
    webhook_deliveries_by_state_created_at: ['webhook_id', 'state', 'created_at', 'id'],
    // The retention.
    webhook_deliveries_by_changed_at: ['changed_at'],
  };
  for (const [name, columns] of Object.entries(indexes))
    await db.schema
      .createIndex(name)
      .ifNotExists()
      .on('webhook_deliveries')
      .columns(columns as never[])
      .execute();
}
