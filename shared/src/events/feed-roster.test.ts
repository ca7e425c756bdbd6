import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import type { ChangeFeed, FollowerReport } from './change-feed.ts';
import { createDatabaseFeed } from './database-feed.ts';
import { listedForMs } from './feed-position.ts';
import { createListedFeed, type FeedRoster } from './feed-roster.ts';

describe.each(databaseKinds(process.env))('the list of followers on $name', ({ open }) => {
  let database: TestDatabase;
  let clock: ManualClock;
  let feed: ChangeFeed;
  let roster: FeedRoster;
  beforeEach(async () => {
    database = await open();
    clock = createManualClock();
    const own = createDatabaseFeed(database.db);
    ({ feed, roster } = createListedFeed({ db: database.db, feed: own, clock, self: 'self' }));
  });
  afterEach(() => database.close());

  const reportOf = (process: string, more: Partial<FollowerReport> = {}): FollowerReport => ({
    ...{ process, limitMs: 5_000, history: null, applied: 0 },
    ...more,
  });
  const listed = async () => (await roster.list()).map(({ process }) => process).sort();
  /** Somebody waits for the first change. */
  const awaitFirst = () => database.db.updateTable('change_counter').set({ number: 1, awaited: 1 }).execute();
  /** No row can be added any more. Sorted rows can still be changed. */
  const refuseNew = () => sql`create unique index one_follower on followers ((1))`.execute(database.db);

  test('a process is listed before it gets its first page, and leaves at its end', async () => {
    await feed.since(0, reportOf('self'));
    await feed.since(0, reportOf('other'));
    await feed.since(0, reportOf('other'));
    expect(await listed()).toEqual(['other', 'self']);
    await feed.followers?.leave('other');
    expect(await listed()).toEqual(['self']);
  });

  test('a report is written only while somebody waits, and the page says for what', async () => {
    const { history, awaited } = await feed.since(0, reportOf('other'));
    expect(awaited).toBe(0);
    await feed.since(0, reportOf('other', { history, applied: 0 }));
    expect(await roster.list()).toMatchObject([{ history: null, applied: 0 }]);
    await awaitFirst();
    expect(await feed.since(0, reportOf('other', { history, applied: 0 }))).toMatchObject({ awaited: 1 });
    // No pull waits for the report before it, and one that comes while that is written leaves its own to the next pull.
    const pullAndList = async () => {
      await feed.since(0, reportOf('other', { history, applied: 1 }));
      return roster.list();
    };
    await expect.poll(pullAndList).toMatchObject([{ history, applied: 1 }]);
  });

  test('while the database takes no new rows, a process gets pages without being listed, and the process that gives them confirms nothing until that one could no longer serve', async () => {
    await feed.since(0, reportOf('self'));
    await refuseNew();
    await feed.since(0, reportOf('new'));
    expect(await listed()).toEqual(['self']);
    expect(feed.followers?.mayConfirm()).toBe(false);
    clock.advance(listedForMs + 5_000);
    expect(feed.followers?.mayConfirm()).toBe(true);
  });

  test('the pull of a process of an earlier release, which reports nothing, withholds confirmations, too', async () => {
    await feed.since(0, reportOf('self'));
    await feed.since(0);
    expect(feed.followers?.mayConfirm()).toBe(false);
  });

  test('a process that is not listed itself refuses pages to others that cannot be listed', async () => {
    await feed.since(0, reportOf('another'));
    await refuseNew();
    await expect(feed.since(0, reportOf('new'))).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    await expect(feed.since(0)).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    // It serves no keys, and must start.
    expect(await feed.since(0, reportOf('self'))).toMatchObject({ awaited: 0 });
  });

  test('a suspect is dropped after a minute, and not if it has pulled since', async () => {
    for (const process of ['dead', 'slow']) await feed.since(0, reportOf(process));
    // Postgres takes 65,535 values in one statement.
    const gone = Array.from({ length: 70_000 }, (_, n) => `gone-${n}`);
    await roster.suspect(['dead', 'slow', ...gone]);
    await roster.sweep();
    expect(await listed()).toEqual(['dead', 'slow']);
    await feed.since(0, reportOf('slow'));
    const minuteMs = 2 * listedForMs + 1;
    await database.db
      .updateTable('followers')
      .set((eb) => ({ suspect_since: eb('suspect_since', '-', minuteMs) }))
      .execute();
    await roster.sweep();
    expect(await listed()).toEqual(['slow']);
  });

  test('a suspect gets no page while it cannot be cleared', async () => {
    await feed.since(0, reportOf('self'));
    await feed.since(0, reportOf('slow'));
    await roster.suspect(['slow']);
    await sql`alter table followers rename to absent`.execute(database.db);
    await expect(feed.since(0, reportOf('slow'))).rejects.toThrow();
  });
});
