import { type RawBuilder, sql } from 'kysely';
import { type Database, isPostgres, type Transaction } from '../db/index.ts';
import type { Change } from './change.ts';
import { pageSize } from './change-feed.ts';
import type { FeedLink } from './message.ts';

/** The place of an appended change. */
interface Appended {
  number: number;
  /** Null where the schema has no column for it. */
  link: FeedLink | null;
}

/**
 * Adds a change to the feed. The counter's row stays locked until the transaction ends, so numbers become visible in
 * order: a reader that has seen number n has seen all numbers before it. A sequence would not work: Postgres hands out
 * its numbers outside of transactions, and a reader would skip a number that commits late.
 *
 * @param isLinked whether the schema has the columns of migration 0003
 */
export async function appendChange(
  tx: Transaction,
  change: Change,
  at: number,
  isLinked: boolean,
): Promise<Appended> {
  const { number } = await tx
    .updateTable('change_counter')
    .set((eb) => ({ number: eb('number', '+', 1) }))
    .where('id', '=', 1)
    .returning('number')
    .executeTakeFirstOrThrow();
  const row = { number, at, change: JSON.stringify(change) };
  if (!isLinked) {
    await tx.insertInto('changes').values(row).execute();
    return { number, link: null };
  }
  const { id, previous } = await tx
    .insertInto('changes')
    .values((eb) => ({
      ...row,
      id: randomId(tx),
      previous: eb
        .selectFrom('changes as before')
        .select('before.id')
        .where('before.number', '=', number - 1),
    }))
    .returning(['id', 'previous'])
    .executeTakeFirstOrThrow();
  return { number, link: id === null ? null : { id, previous } };
}

/** 16 random bytes as hex digits, made by the database as part of the statement. */
function randomId(tx: Transaction): RawBuilder<string> {
  return isPostgres(tx) ? sql`replace(gen_random_uuid()::text, '-', '')` : sql`lower(hex(randomblob(16)))`;
}

/**
 * Removes changes from before the given time, a bounded number at once. A follower that was away for longer starts from
 * the present. The newest row always stays: it shows a follower that the database was restored and has reused its number.
 */
export async function purgeChanges(db: Database | Transaction, before: number): Promise<number> {
  const oldest = db
    .selectFrom('changes')
    .select('number')
    .where('at', '<', before)
    .where('number', '<', (eb) => eb.selectFrom('change_counter').select('number').where('id', '=', 1))
    .orderBy('number')
    .limit(pageSize);
  const { numDeletedRows } = await db.deleteFrom('changes').where('number', 'in', oldest).executeTakeFirst();
  return Number(numDeletedRows);
}
