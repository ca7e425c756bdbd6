import { type Expression, sql } from 'kysely';
import type { Database } from './open.ts';
import { hasReadAside, readAside } from './read-aside.ts';

/** Entries of an index that SQLite counts within the thread that answers requests: some 1 ms. */
const countedAtOnce = 5_000;

/**
 * How many rows a query finds. A count beyond some thousands delays no other request (`readAside`).
 *
 * @param rows the query with a limit, in the order of the index that finds them
 * @param limit counts no further
 * @param isSparse the index has many other rows between the matching ones
 */
export async function countUpTo(
  db: Database,
  rows: (limit: number) => Expression<unknown>,
  limit: number,
  isSparse = false,
): Promise<number> {
  const counting = (most: number) =>
    sql<{ count: number }>`select count(*) as count from ${rows(most)} as counted`;
  if (!isSparse) {
    const atOnce = hasReadAside(db) ? Math.min(limit, countedAtOnce) : limit;
    const counted = Number((await counting(atOnce).execute(db)).rows[0]?.count);
    if (counted < atOnce || atOnce === limit) return counted;
  }
  const [all] = await readAside(db, { compile: () => counting(limit).compile(db) });
  return Number(all?.count);
}
