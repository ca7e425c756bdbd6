import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../is-postgres.ts';

/** Rows of the audit that are kept for the same time. SQLite and Postgres use an index on it only for exactly this text. */
const kind = `case when outcome <> 'refused' then 'acts' when actor_kind = 'anonymous' then 'strangers' else 'refusals' end`;

/** How far the audit was read in the background, and its retention, in place of the chain of its rows. */
export const auditReaders: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('audit_by_kind_at')
      .ifNotExists()
      .on('audit')
      .expression(sql`(${sql.raw(kind)}), at`)
      .execute();
    if (isPostgres(db)) {
      await sql`drop function if exists audit_cut(text, bigint, bigint)`.execute(db);
      await createPurge(db);
    }
    for (const table of ['audit_entries', 'audit_sealing', 'audit_chains', 'webhook_progress'])
      await db.schema.dropTable(table).ifExists().execute();
    // The table comes last: code that finds it relies on the others, too.
    await db.schema
      .createTable('audit_readers')
      .ifNotExists()
      .addColumn('name', 'text', (c) => c.primaryKey().notNull())
      .addColumn('passed', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('waiting', 'text', (c) => c.notNull().defaultTo('[]'))
      .addColumn('sent', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('sending', 'text', (c) => c.notNull().defaultTo('[]'))
      .addColumn('sending_since', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
    for (const name of ['forwarding', 'webhooks'])
      await sql`insert into audit_readers (name) values (${name}) on conflict do nothing`.execute(db);
  },
};

/** The only way in which a service removes rows of the audit. It runs with the rights of its owner, and never removes a row of the last day. */
async function createPurge(db: Kysely<unknown>): Promise<void> {
  // A function with its owner's rights must find its tables whatever the caller's path is, and no temporary table of the caller.
  await sql`select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`.execute(db);
  await sql
    .raw(`create or replace function audit_purge(purged_kind text, before bigint, below bigint, most integer) returns bigint
    language plpgsql security definer set search_path from current as $body$
declare
  due bigint := least(before, (extract(epoch from clock_timestamp()) * 1000)::bigint - 86400000);
  removed bigint;
begin
  delete from audit where number in (
    select number from audit where (${kind}) = purged_kind and at < due and number < below
    order by at limit most for update skip locked);
  get diagnostics removed = row_count;
  return removed;
end $body$`)
    .execute(db);
  await sql`revoke all on function audit_purge(text, bigint, bigint, integer) from public`.execute(db);
}
