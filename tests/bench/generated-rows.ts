import { type Database, isPostgres } from '@latchkey/shared/db';
import { type RawBuilder, sql } from 'kysely';

/** The numbers in [from, to) as the common table expression `numbers (n)`, on either database. */
export function numbers(from: number, to: number): RawBuilder<unknown> {
  return sql`with recursive numbers (n) as (
    select cast(${literal(from)} as bigint) union all select n + 1 from numbers where n + 1 < ${literal(to)}
  )`;
}

export function literal(value: number): RawBuilder<unknown> {
  return sql.raw(String(value));
}

/** Does at once what autovacuum does within a minute. SQLite runs no such job, so nothing happens there. */
export async function analyze(db: Database): Promise<void> {
  if (isPostgres(db)) await sql`analyze`.execute(db);
}
