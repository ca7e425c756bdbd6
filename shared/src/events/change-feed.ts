import { type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { nullable } from '../contracts/index.ts';
import { createColumnCheck, type Database, DatabaseIsStandby } from '../db/index.ts';
import { type Change, parseChange } from './change.ts';

/** Maximum changes in one page. More than a second of mass revocations brings, and still one short statement. */
export const pageSize = 1_000;

const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const OptionalText = Type.Optional(nullable(Type.String()));

/** The last number in use. */
export const FeedHeadSchema = Type.Object({ head: Whole });

/** A page as it crosses processes. The text of each change is parsed separately: a newer process may know more kinds. */
export const FeedPageSchema = Type.Object({
  head: Whole,
  history: OptionalText,
  changes: Type.Array(
    Type.Object({
      number: Whole,
      at: Whole,
      id: OptionalText,
      previous: OptionalText,
      change: Type.Unknown(),
    }),
  ),
});
type WirePage = Static<typeof FeedPageSchema>;

/**
 * A row of the feed, with the time when it was written, in milliseconds since 1970. Its `id` is random, so a row with the
 * same number in another history has another id; `previous` is the id of the row before it. Rows that 0.2.0 wrote have
 * neither. The change is null where this code does not know its kind.
 */
export type FeedRow = Omit<WirePage['changes'][number], 'change'> & { change: Change | null };

/**
 * The changes after the requested number, in order. Removed old rows are missing. `head` is the last number in use when
 * the page was read. `history` names the database that was read, where that is known. Another name means that the
 * database may have been restored to an earlier state.
 */
export type FeedPage = Omit<WirePage, 'changes'> & { changes: FeedRow[] };

/** The change feed: every change of authority, numbered in commit order, without a gap. */
export interface ChangeFeed {
  /** @throws DatabaseIsStandby, and the database's errors */
  head(): Promise<number>;
  /** Errors as for `head`. The whole page is read at one instant. */
  since(number: number): Promise<FeedPage>;
}

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
