import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock/clock.ts';
import { type Database, isPostgres, rowList } from '../db/index.ts';
import { AppError } from '../errors/errors.ts';
import { withTimeLimit } from '../lifecycle/index.ts';
import type { ChangeFeed, FollowerReport } from './change-feed.ts';
import { authorityLimitMs, listedForMs } from './feed-position.ts';

/** A puller waits 2 s for its page, and a database that takes no writes may let them hang. */
const listLimitMs = 500;
/** A suspect is dropped after twice the time that a process may serve without a pull, by its own clock. */
const doubled = 2;

/** The list of followers, as the services that own the database keep it. */
export type FeedRoster = Pick<ReturnType<typeof createFollowerStore>, 'list' | 'suspect' | 'sweep'>;

interface RosterOptions {
  db: Database;
  /** The feed of the database, without a list. */
  feed: ChangeFeed;
  clock: Pick<Clock, 'monotonic'>;
  /** This process as a follower. */
  self: string;
}

/** The change feed for followers that are listed: each page goes to a process that is on the list, or that this process answers for. */
export function createListedFeed({ db, feed, clock, self }: RosterOptions): {
  feed: ChangeFeed;
  roster: FeedRoster;
} {
  const store = createFollowerStore(db);
  const writing = new Set<string>();
  let isListed = false;
  /** Monotonic: until then, a process that is not listed may serve by pages of this process. */
  let answersUntilMs = Number.NEGATIVE_INFINITY;
  const mayConfirm = () => clock.monotonic() >= answersUntilMs;

  /** @throws AppError DEPENDENCY_UNAVAILABLE if the process must not get a page */
  async function admit(report: FollowerReport): Promise<number> {
    const found = await store.find(report.process);
    if (!found.isListed || found.suspectSince !== null) {
      try {
        await withTimeLimit(listLimitMs, store.add(report));
      } catch (error) {
        // A suspect may be off the list before its next pull.
        if (found.isListed) throw new AppError('DEPENDENCY_UNAVAILABLE', { cause: error });
        if (report.process === self) return found.awaited;
        answerFor(report.limitMs, error);
        return found.awaited;
      }
    }
    if (report.process === self) isListed = true;
    if (isNew(found, report) && (report.process !== self || mayConfirm())) note(report);
    return found.awaited;
  }

  /**
   * A process cannot be listed while the database takes no writes, or because it is of an earlier release. Its keys must go on, so
   * this process withholds its own confirmations until that process could no longer serve.
   */
  function answerFor(limitMs: number, error?: unknown): void {
    if (!isListed) throw new AppError('DEPENDENCY_UNAVAILABLE', { cause: error });
    answersUntilMs = clock.monotonic() + listedForMs + limitMs;
  }

  /** No pull waits for it: while the database takes no writes it may hang. */
  function note(report: FollowerReport): void {
    if (writing.has(report.process)) return;
    writing.add(report.process);
    void store
      .report(report)
      // The next pull reports again.
      .catch(() => {})
      .finally(() => writing.delete(report.process));
  }

  return {
    feed: {
      head: feed.head,
      async since(number, report) {
        if (!report) answerFor(authorityLimitMs);
        const awaited = report && (await admit(report));
        const page = await feed.since(number);
        return awaited === undefined ? page : { ...page, awaited };
      },
      followers: { self, leave: store.remove, mayConfirm },
    },
    roster: store,
  };
}

/** Whether the list needs the report, because somebody waits for it. */
function isNew(
  { awaited, history, applied }: { awaited: number; history: string | null; applied: number },
  report: FollowerReport,
): boolean {
  if (report.history === null || awaited === 0) return false;
  return report.history !== history || (applied < awaited && report.applied > applied);
}

/** All SQL on the table `followers`. */
function createFollowerStore(db: Database) {
  const databaseNow: RawBuilder<number> = isPostgres(db)
    ? sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql`cast(unixepoch('subsec') * 1000 as integer)`;
  return {
    async find(process: string) {
      const row = await db
        .selectFrom('change_counter as counter')
        .leftJoin('followers as follower', (join) => join.on('follower.process', '=', process))
        .select(['counter.awaited', 'follower.process', 'follower.history', 'follower.applied'])
        .select('follower.suspect_since as suspectSince')
        .where('counter.id', '=', 1)
        .executeTakeFirstOrThrow();
      return {
        ...{ isListed: row.process !== null, awaited: row.awaited ?? 0, suspectSince: row.suspectSince },
        ...{ history: row.history, applied: row.applied ?? 0 },
      };
    },
    async add({ process, limitMs }: FollowerReport): Promise<void> {
      await db
        .insertInto('followers')
        .values({ process, limit_ms: Math.ceil(limitMs), history: null, applied: 0, suspect_since: null })
        .onConflict((conflict) => conflict.column('process').doUpdateSet({ suspect_since: null }))
        .execute();
    },
    async report({ process, history, applied }: FollowerReport): Promise<void> {
      await db.updateTable('followers').set({ history, applied }).where('process', '=', process).execute();
    },
    async remove(process: string): Promise<void> {
      await db.deleteFrom('followers').where('process', '=', process).execute();
    },
    list(): Promise<FollowerReport[]> {
      const rows = db
        .selectFrom('followers')
        .select(['process', 'limit_ms as limitMs', 'history', 'applied']);
      return rows.execute();
    },
    /**
     * Notes that these processes did not confirm in time. From then on their pulls are refused unless they clear that, which is a write.
     * So one that stays suspect has not pulled since.
     */
    async suspect(processes: readonly string[]): Promise<void> {
      // As one value: a process that ends again and again may leave more names than a statement takes values.
      const late = rowList(
        db,
        { name: 'text' },
        processes.map((name) => ({ name })),
      ).as('late');
      await db
        .updateTable('followers')
        .set({ suspect_since: databaseNow })
        .where('process', 'in', db.selectFrom(late).select('late.name'))
        .where('suspect_since', 'is', null)
        .execute();
    },
    /** Drops processes that were suspect for long enough: they ended without leaving the list. Waits then no longer wait for them. */
    async sweep(): Promise<void> {
      await db
        .deleteFrom('followers')
        .where((eb) => eb('suspect_since', '<', eb(databaseNow, '-', doubled * listedForMs)))
        .where((eb) => eb('suspect_since', '<', eb(databaseNow, '-', eb('limit_ms', '*', doubled))))
        .execute();
    },
  };
}
