import type { Database, Transaction } from '../db/index.ts';
import { type Change, parseChange } from './change.ts';

/** Changes of one page. More than a revocation wave of a second, and still one short statement. */
const pageSize = 1_000;

export interface FeedPage {
  /** The last number that was given when the page was read. */
  head: number;
  /** Changes after the number asked for, in order. Fewer than were given, where old ones have been removed. */
  changes: { number: number; at: number; change: Change | null }[];
}

/** The change feed: every change of authority, numbered in the order in which they were committed, without a gap. */
export interface ChangeFeed {
  head(): Promise<number>;
  since(number: number): Promise<FeedPage>;
}

export function createDatabaseFeed(db: Database): ChangeFeed {
  const head = async () => {
    const row = await db
      .selectFrom('change_counter')
      .select('number')
      .where('id', '=', 1)
      .executeTakeFirstOrThrow();
    return row.number;
  };
  return {
    head,
    async since(number) {
      // The head first: rows up to it are then visible to the second statement.
      const last = await head();
      const rows = await db
        .selectFrom('changes')
        .select(['number', 'at', 'change'])
        .where('number', '>', number)
        .orderBy('number')
        .limit(pageSize)
        .execute();
      return {
        head: last,
        changes: rows.map((row) => ({ ...row, change: parseChange(parseJson(row.change)) })),
      };
    },
  };
}

/**
 * Adds a change to the feed. The counter's row stays locked until the transaction ends, so numbers become visible in
 * their order: a reader that has seen number n has seen all before it. (A sequence would not do: Postgres hands out its
 * numbers outside of transactions, and a reader would skip the one that commits late.)
 */
export async function appendChange(tx: Transaction, change: Change, at: number): Promise<number> {
  const { number } = await tx
    .updateTable('change_counter')
    .set((eb) => ({ number: eb('number', '+', 1) }))
    .where('id', '=', 1)
    .returning('number')
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('changes')
    .values({ number, at, change: JSON.stringify(change) })
    .execute();
  return number;
}

/** Removes changes from before the given time, a bounded number at once. A follower that was away for longer starts anew. */
export async function purgeChanges(db: Database, before: number): Promise<number> {
  const oldest = db
    .selectFrom('changes')
    .select('number')
    .where('at', '<', before)
    .orderBy('number')
    .limit(pageSize);
  const { numDeletedRows } = await db.deleteFrom('changes').where('number', 'in', oldest).executeTakeFirst();
  return Number(numDeletedRows);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
