import { type RawBuilder, sql } from 'kysely';
import {
  createColumnCheck,
  type Database,
  DatabaseIsStandby,
  isPostgres,
  rowList,
  type Transaction,
} from '../db/index.ts';
import { type Change, parseChange } from './change.ts';
import { type ChangeFeed, pageSize } from './change-feed.ts';
import type { FeedLink } from './message.ts';

interface ServerFacts {
  isStandby: boolean;
  /** The counter's table and the server's start; null on SQLite. */
  incarnation: string | null;
}

/**
 * Postgres' identity, read in the statement that reads the feed. A standby that takes over and a restored server have
 * started anew, and loading a dump makes the table anew. A plain restart looks the same: replicas then reload their
 * cached states, which costs one look-up for each state.
 */
const postgresFacts = {
  isStandby: sql<boolean>`pg_is_in_recovery()`,
  incarnation: sql<
    string | null
  >`counter.tableoid::text || '/' || extract(epoch from pg_postmaster_start_time())::text`,
};
const sqliteFacts = { isStandby: sql<boolean>`0`, incarnation: sql<string | null>`null` };

export function createDatabaseFeed(db: Database): ChangeFeed {
  const facts: { [K in keyof ServerFacts]: RawBuilder<ServerFacts[K]> } = isPostgres(db)
    ? postgresFacts
    : sqliteFacts;
  const linked = createColumnCheck('change_counter', 'history');
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
      const withLinks = await linked.isThere(db);
      // One statement, so that it reads one instant of one server.
      const rows = await counter()
        .leftJoin(
          (eb) =>
            eb
              .selectFrom('changes')
              .select(['changes.number', 'changes.at', 'changes.change'])
              .$if(withLinks, (query) => query.select(['changes.id', 'changes.previous']))
              .where('changes.number', '>', number)
              .orderBy('changes.number')
              .limit(pageSize)
              .as('row'),
          (join) => join.onTrue(),
        )
        .select([facts.incarnation.as('incarnation'), 'row.number', 'row.at', 'row.change'])
        .$if(withLinks, (query) => query.select(['counter.history', 'row.id', 'row.previous']))
        .orderBy('row.number')
        .execute();
      const [first] = rows;
      if (!first) throw new Error('the change feed has no counter');
      if (first.isStandby) throw new DatabaseIsStandby();
      return {
        head: first.head,
        history: nameHistory(first, withLinks),
        changes: rows.flatMap(({ number, at, change, id = null, previous = null }) =>
          number === null || at === null
            ? []
            : [{ number, at, id, previous, change: parseChange(parseJson(change ?? '')) }],
        ),
      };
    },
  };
}

/** Null where the history is unknown: SQLite before migration 0003. */
function nameHistory(
  { history, incarnation }: { history?: string | null; incarnation: string | null },
  withLinks: boolean,
): string | null {
  const parts = [history, incarnation].filter((part) => part != null);
  return withLinks || parts.length > 0 ? parts.join('/') : null;
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
  const [appended] = await appendChanges(tx, [change], at, isLinked);
  if (!appended) throw new Error('the change feed returned no number');
  return appended;
}

/**
 * As `appendChange`, for several changes of one transaction: their numbers follow each other.
 *
 * @returns the place of each, in their order
 */
export async function appendChanges(
  tx: Transaction,
  changes: readonly Change[],
  at: number,
  isLinked: boolean,
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
  if (!isLinked) {
    await sql`insert into changes (number, at, change)
      select place + ${first}, ${at}, change from ${given} as given`.execute(tx);
    return changes.map((_, n) => ({ number: first + n, link: null }));
  }
  // Materialized: each row has one id, in its own row and in the next.
  const { rows } = await sql<{ number: number; id: string | null; previous: string | null }>`
    with given as materialized (select place, change, ${randomId(tx)} as id from ${given} as listed)
    insert into changes (number, at, change, id, previous)
    select place + ${first}, ${at}, change, id, case place
        when 0 then (select before.id from changes as before where before.number = ${first - 1})
        else lag(id) over (order by place) end
    from given returning number, id, previous`.execute(tx);
  const links = new Map(
    rows.map(({ number, id, previous }) => [number, id === null ? null : { id, previous }]),
  );
  return changes.map((_, n) => ({ number: first + n, link: links.get(first + n) ?? null }));
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
