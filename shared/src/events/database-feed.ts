import { type RawBuilder, sql } from 'kysely';
import { createColumnCheck, type Database, DatabaseIsStandby, isPostgres } from '../db/index.ts';
import { parseChange } from './change.ts';
import { type ChangeFeed, pageSize } from './change-feed.ts';

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
