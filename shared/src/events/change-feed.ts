import { type RawBuilder, sql } from 'kysely';
import { createColumnCheck, type Database, DatabaseIsStandby } from '../db/index.ts';
import { type Change, parseChange } from './change.ts';

/** Changes of one page. More than a revocation wave of a second, and still one short statement. */
export const pageSize = 1_000;

/** A row of the feed. */
export interface FeedRow {
  number: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Random, so that another history's row with this number has another one. Missing in rows that 0.2.0 wrote. */
  id?: string | null;
  /** The id of the row before it. Missing where that has none. */
  previous?: string | null;
  /** Null where this code does not know what it says. */
  change: Change | null;
}

export interface FeedPage {
  /** The last number that was given when the page was read. */
  head: number;
  /**
   * Names the database that was read, as far as it tells: another name means that it may have been put back to an earlier
   * state. Missing where it tells nothing.
   */
  history?: string | null;
  /** Changes after the number asked for, in order. Fewer than were given, where old ones have been removed. */
  changes: FeedRow[];
}

/** The change feed: every change of authority, numbered in the order in which they were committed, without a gap. */
export interface ChangeFeed {
  /** @throws DatabaseIsStandby, and whatever the database says */
  head(): Promise<number>;
  /** As `head`. All of a page is true at one instant. */
  since(number: number): Promise<FeedPage>;
}

interface ServerFacts {
  isStandby: boolean;
  /** The table of the counter and the start of the server; null on SQLite. */
  incarnation: string | null;
}

/**
 * What Postgres says of itself, in the statement that reads the feed. A standby that takes over and a server that was
 * restored have started anew, and a dump that was loaded makes the table anew. A plain restart looks the same: replicas then
 * read once more what they had cached, which costs each state one look-up.
 */
const postgresFacts = {
  isStandby: sql<boolean>`pg_is_in_recovery()`,
  incarnation: sql<
    string | null
  >`counter.tableoid::text || '/' || extract(epoch from pg_postmaster_start_time())::text`,
};
const sqliteFacts = { isStandby: sql<boolean>`0`, incarnation: sql<string | null>`null` };

export function createDatabaseFeed(db: Database): ChangeFeed {
  const isPostgres = db.getExecutor().adapter.supportsTransactionalDdl === true;
  const facts: { [K in keyof ServerFacts]: RawBuilder<ServerFacts[K]> } = isPostgres
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
      // One statement: it sees one instant of one server.
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

/** Null where nothing tells: SQLite before migration 0003. */
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
