import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../is-postgres.ts';

/** The kinds of audit rows, each with a retention of its own and so with a chain of its own. */
const chains = ['acts', 'refusals', 'strangers'];

/**
 * The chain of the audit, beside its rows: a request that writes a row knows no chain, and no service needs the right to
 * change a row.
 */
export const auditChain: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('audit_entries')
      .ifNotExists()
      .addColumn('chain', 'text', (c) => c.notNull())
      .addColumn('place', 'bigint', (c) => c.notNull())
      .addColumn('number', 'bigint', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('sealed_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('audit_entries_pk', ['chain', 'place'])
      .execute();
    await db.schema
      .createIndex('audit_entries_by_number')
      .ifNotExists()
      .on('audit_entries')
      .column('number')
      .execute();
    await db.schema
      .createTable('audit_sealing')
      .ifNotExists()
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('sealed_to', 'bigint', (c) => c.notNull())
      .addColumn('next_to', 'bigint', (c) => c.notNull())
      .addColumn('next_at', 'bigint', (c) => c.notNull())
      .execute();
    await sql`insert into audit_sealing (id, sealed_to, next_to, next_at) values (1, 0, 0, 0) on conflict do nothing`.execute(
      db,
    );
    // The table comes last: code that finds it relies on the others, too.
    await db.schema
      .createTable('audit_chains')
      .ifNotExists()
      .addColumn('chain', 'text', (c) => c.primaryKey().notNull())
      .addColumn('place', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('hash', 'text', (c) => c.notNull().defaultTo(''))
      .addColumn('cut_place', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('cut_hash', 'text', (c) => c.notNull().defaultTo(''))
      .addColumn('cut_at', 'bigint')
      .addColumn('cut_newest', 'bigint')
      .addColumn('forwarded_place', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
    for (const chain of chains)
      await sql`insert into audit_chains (chain) values (${chain}) on conflict do nothing`.execute(db);
    if (isPostgres(db)) await createCut(db);
  },
};

/**
 * The only way in which a service removes rows of the audit. It runs with the rights of its owner, only from the beginning of a
 * chain, never a row of the last day, and keeps the hash at the cut.
 */
async function createCut(db: Kysely<unknown>): Promise<void> {
  // A function with its owner's rights must find its tables whatever the caller's path is, and no temporary table of the caller.
  await sql`select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`.execute(db);
  await sql
    .raw(`create or replace function audit_cut(cut_chain text, up_to bigint, before bigint) returns bigint
    language plpgsql security definer set search_path from current as '
declare
  now_ms bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
  due bigint := least(before, now_ms - 86400000);
  newest bigint;
  removed bigint;
begin
  perform 1 from audit_chains c where c.chain = cut_chain for update;
  if exists (select 1 from audit_entries e join audit a on a.number = e.number
      where e.chain = cut_chain and e.place <= up_to and a.at >= due and a.at <= now_ms + 86400000) then
    raise exception ''audit_cut: rows up to place % of % are not due'', up_to, cut_chain;
  end if;
  select max(a.at) into newest from audit_entries e join audit a on a.number = e.number
    where e.chain = cut_chain and e.place <= up_to;
  update audit_chains c set cut_place = e.place, cut_hash = e.hash, cut_at = now_ms, cut_newest = coalesce(newest, c.cut_newest)
    from audit_entries e where e.chain = cut_chain and e.place = up_to and c.chain = cut_chain;
  delete from audit a using audit_entries e where e.chain = cut_chain and e.place <= up_to and a.number = e.number;
  get diagnostics removed = row_count;
  delete from audit_entries e where e.chain = cut_chain and e.place <= up_to;
  return removed;
end'`)
    .execute(db);
  await sql`revoke all on function audit_cut(text, bigint, bigint) from public`.execute(db);
}
