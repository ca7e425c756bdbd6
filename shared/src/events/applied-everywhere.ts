import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock/clock.ts';
import { type Database, isPostgres } from '../db/index.ts';
import { AppError } from '../errors/errors.ts';
import { everyMs, type Repeating, withTimeLimit } from '../lifecycle/index.ts';
import { AppliedWaits, type AwaitedPlace, unlisted } from './applied-waits.ts';
import type { Bus } from './bus.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { FeedFollower } from './feed-follower.ts';
import { listedForMs } from './feed-position.ts';
import type { FeedRoster } from './feed-roster.ts';

/**
 * Waits until no process of the installation decides by a state from before this call.
 *
 * @returns how long it took, in whole milliseconds
 * @throws AppError DEPENDENCY_UNAVAILABLE if the database does not answer
 */
export type WaitUntilApplied = () => Promise<number>;

/** For tests of one process: its bus is synchronous, so a change is applied when the act is written. */
export const appliedAtOnce: WaitUntilApplied = async () => 0;

interface AppliedEverywhereOptions {
  db: Database;
  /** The feed of the database. */
  feed: ChangeFeed;
  roster: FeedRoster;
  bus: Bus;
  clock: Clock;
  follower: Pick<FeedFollower, 'onChange' | 'limitMs' | 'place'>;
}

/** Without NATS, confirmations come with the pulls, one a second at each process. */
const readEveryMs = 100;
/** While a statement hangs, waits must still end by time. */
const readLimitMs = 500;

/**
 * The wait of `POST /keys/leases/revoke?wait=applied` and its like: `docs/reference/contract.md#waiting-until-it-is-applied`.
 *
 * **What is promised.** After the answer, no process decides a request by a state from before the act. A key whose decision came
 * before may still be on its way to a player.
 *
 * **Why time alone would do.** A process uses a state of the time before a commit at most until its limit after the commit: it
 * counts the age of states from before it asked for them, by a clock that also runs while the process is stopped. So a wait for the
 * longest limit is always true. All else only shortens it.
 *
 * **Who has to confirm.** A process gets a page of the feed only while it is on the list of followers (`feed-roster.ts`), and serves
 * nothing before its first page. The list is read after the commit. A process that is not on it gets its first page later, and that
 * page has the change. A process leaves the list when it ends. One that was killed is dropped once it could not serve any more: without a
 * pull for half a minute, a process trusts no state, however new (`listedForMs`).
 *
 * **How they confirm.** `awaited` in the database is the number that somebody waits for. Every page carries it, and a pull
 * carries how far its process has applied the feed. Where a page shows that this is awaited, the process pulls again at once. The service
 * that answers the pull writes it to the list, and the waiting process reads the list. With NATS this takes no pull: the waiting
 * process asks on the bus, and each process answers there. An answer that is lost only makes the wait longer.
 *
 * **What a failover changes.** It may lose the newest rows of the list. A process that notices one waits for the longest limit, until
 * every process has pulled again or stopped to serve. So does a process that has just begun to read the feed of a server that was a standby: it
 * cannot know when that took over.
 */
export function createAppliedEverywhere(options: AppliedEverywhereOptions): {
  wait: WaitUntilApplied;
  stop(): Promise<void>;
} {
  const { db, feed, roster, bus, clock, follower } = options;
  const waits = new AppliedWaits();
  let reading: Repeating | null = null;
  let unsureUntilMs = 0;
  /** The same, on a server that was a standby once. */
  let unsureAtFirstUntilMs = 0;
  const unsubscribe = bus.subscribe((message) => {
    if (message.type === 'applied') waits.confirm(message.process, message);
  });
  follower.onChange((change) => {
    if (change !== null) return;
    const untilMs = clock.monotonic() + listedForMs + follower.limitMs;
    // The first read of a process may follow a failover that it cannot see.
    if (follower.place() === null) unsureAtFirstUntilMs = untilMs;
    else unsureUntilMs = untilMs;
  });

  /** @returns `done`, which resolves when the change is applied everywhere */
  async function begin(): Promise<{ done: Promise<void> }> {
    const beganAtMs = clock.monotonic();
    const { place, wasStandby } = await announce();
    const listed = await roster.list();
    const longestMs = Math.max(follower.limitMs, ...listed.map(({ limitMs }) => limitMs));
    const sureFromMs = wasStandby ? Math.max(unsureUntilMs, unsureAtFirstUntilMs) : unsureUntilMs;
    const isSure = follower.place()?.history === place.history && beganAtMs >= sureFromMs;
    const unknown = isSure ? [] : [{ process: unlisted, limitMs: longestMs }];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    waits.begin(place, [...listed, ...unknown], beganAtMs, resolve);
    bus.publish({ type: 'awaited', ...place });
    follow();
    return { done };
  }

  async function announce(): Promise<{ place: AwaitedPlace; wasStandby: boolean }> {
    const { number, wasStandby } = await db
      .updateTable('change_counter')
      .set((eb) => ({ awaited: eb.ref('number') }))
      .where('id', '=', 1)
      .returning(['number', wasStandbyOf(db).as('wasStandby')])
      .executeTakeFirstOrThrow();
    const { history } = await feed.since(number);
    return { place: { number, history }, wasStandby };
  }

  /** Reads the list while somebody waits. */
  function follow(): void {
    reading ??= everyMs(
      readEveryMs,
      async () => {
        const late = [...waits.expire(clock.monotonic())];
        if (waits.size === 0) {
          void reading?.stop();
          reading = null;
        }
        if (late.length > 0) await withTimeLimit(readLimitMs, roster.suspect(late));
        if (waits.size > 0) waits.note(await withTimeLimit(readLimitMs, roster.list()));
      },
      // Without the database, time ends the wait.
      () => {},
    );
  }

  // Each round must begin after the acts that it waits for.
  const join = shareNextRun(begin);
  return {
    async wait() {
      const beganAtMs = clock.monotonic();
      try {
        const { done } = await join();
        await done;
      } catch (cause) {
        throw new AppError('DEPENDENCY_UNAVAILABLE', { cause });
      }
      return Math.round(clock.monotonic() - beganAtMs);
    },
    async stop() {
      unsubscribe();
      await reading?.stop();
    },
  };
}

/** Whether the server has replayed the log of another one since it started: only then may it have taken over. SQLite has no standby. */
function wasStandbyOf(db: Database): RawBuilder<boolean> {
  return isPostgres(db) ? sql<boolean>`pg_last_wal_replay_lsn() is not null` : sql<boolean>`0`;
}

/** Calls that come while a run is under way share the next one. */
function shareNextRun<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      const begun = run();
      next = null;
      running = begun.catch(() => {});
      return begun;
    });
    return next;
  };
}
