import { type RawBuilder, sql } from 'kysely';
import { type Database, DatabaseIsStandby, isPostgres, rowList, type Transaction } from '../db/index.ts';
import { type Change, parseChange } from './change.ts';
import { type ChangeFeed, pageSize } from './change-feed.ts';
import type { FeedLink } from './message.ts';

interface ServerFacts {
  isStandby: boolean;
  /** The counter's table and the server's start; empty on SQLite, which has no server. */
  incarnation: string;
}

/**
 * Postgres' identity, read in the statement that reads the feed. A standby that takes over and a restored server have
 * started anew, and loading a dump makes the table anew. A plain restart looks the same: replicas then reload their
 * cached states, which costs one look-up for each state.
 */
const postgresFacts = {
  isStandby: sql<boolean>`pg_is_in_recovery()`,
  incarnation: sql<string>`'/' || counter.tableoid::text || '/' || extract(epoch from pg_postmaster_start_time())::text`,
};
const sqliteFacts = { isStandby: sql<boolean>`0`, incarnation: sql<string>`''` };

export function createDatabaseFeed(db: Database): ChangeFeed {
  const facts: { [K in keyof ServerFacts]: RawBuilder<ServerFacts[K]> } = isPostgres(db)
    ? postgresFacts
    : sqliteFacts;
  const counter = () =>
    db
      .selectFrom('change_counter as counter')
      .select(['counter.number as head', facts.isStandby.as('isStandby')])
      .where('counter.id', '=', 1);

  return {
    async head() {
      const { head, isStandby } = await counter().executeTakeFirstOrThrow();
      if (isStandby) throw new DatabaseIsStandby();
      return head;
    },
    async since(number) {
      // One statement, so that it reads one instant of one server.
      const rows = await counter()
        .leftJoin(
          (eb) =>
            eb
              .selectFrom('changes')
              .select(['changes.number', 'changes.at', 'changes.id', 'changes.previous', 'changes.change'])
              .where('changes.number', '>', number)
              .orderBy('changes.number')
              .limit(pageSize)
              .as('row'),
          (join) => join.onTrue(),
        )
        .select(['counter.history', facts.incarnation.as('incarnation')])
        .select(['row.number', 'row.at', 'row.id', 'row.previous', 'row.change'])
        .orderBy('row.number')
        .execute();
      const [first] = rows;
      if (!first) throw new Error('the change feed has no counter');
      if (first.isStandby) throw new DatabaseIsStandby();
      return {
        head: first.head,
        history: `${first.history}${first.incarnation}`,
        changes: rows.flatMap(({ number, at, id, previous, change }) =>
          number === null || at === null || id === null || change === null
            ? []
            : [{ number, at, id, previous, change: parseChange(parseJson(change)) }],
        ),
      };
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The place of an appended change. */
interface Appended {
  number: number;
  link: FeedLink;
}

/**
 * Adds changes to the feed: their numbers follow each other. The counter's row stays locked until the transaction ends, so numbers become visible in
 * order: a reader that has seen number n has seen all numbers before it. A sequence would not work: Postgres hands out
 * its numbers outside of transactions, and a reader would skip a number that commits late.
 *
 * @returns the place of each, in their order
 */
export async function appendChanges(
  tx: Transaction,
  changes: readonly Change[],
  at: number,
): Promise<Appended[]> {
  if (changes.length === 0) return [];
  const { number: last } = await tx
    .updateTable('change_counter')
    .set((eb) => ({ number: eb('number', '+', changes.length) }))
    .where('id', '=', 1)
    .returning('number')
    .executeTakeFirstOrThrow();
  const first = last - changes.length + 1;
  const given = rowList(
    tx,
    { change: 'text' },
    changes.map((change) => ({ change: JSON.stringify(change) })),
  );
  // Materialized: each row has one id, in its own row and in the next.
  const { rows } = await sql<{ number: number } & FeedLink>`
    with given as materialized (select place, change, ${randomId(tx)} as id from ${given} as listed)
    insert into changes (number, at, change, id, previous)
    select place + ${first}, ${at}, change, id, case place
        when 0 then (select before.id from changes as before where before.number = ${first - 1})
        else lag(id) over (order by place) end
    from given returning number, id, previous`.execute(tx);
  return rows
    .map(({ number, id, previous }) => ({ number, link: { id, previous } }))
    .sort((a, b) => a.number - b.number);
}

/** 16 random bytes as hex digits, made by the database as part of the statement. */
function randomId(tx: Transaction): RawBuilder<string> {
  return isPostgres(tx) ? sql`replace(gen_random_uuid()::text, '-', '')` : sql`lower(hex(randomblob(16)))`;
}

/**
 * Removes changes from before the given time, at most `limit`. A follower that was away for longer starts from
 * the present. The newest row always stays: it shows a follower that the database was restored and has reused its number.
 */
export async function purgeChanges(
  db: Database | Transaction,
  before: number,
  limit = pageSize,
): Promise<number> {
  const oldest = db
    .selectFrom('changes')
    .select('number')
    .where('at', '<', before)
    .where('number', '<', (eb) => eb.selectFrom('change_counter').select('number').where('id', '=', 1))
    // By the index of times: by number, SQLite would hold the lock of the file while it reads every row that stays.
    .orderBy('at')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('changes').where('number', 'in', oldest).executeTakeFirst();
  return Number(numDeletedRows);
}
