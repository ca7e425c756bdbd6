import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDatabaseFeed, createLedger } from '../events/database.ts';
import { type ChangeFeed, createInProcessBus } from '../events/index.ts';
import {
  createManualClock,
  databaseKinds,
  serveInternalRoutes,
  type TestDatabase,
} from '../testing/index.ts';
import { addFeedRoutes, createFeedClient } from './index.ts';

// One contract for the feed in the database and for the client that reads it over HTTP.
describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  describe.each(['itself', 'over HTTP'])('the change feed %s', (way) => {
    let database: TestDatabase;
    let feed: ChangeFeed;
    let close: () => Promise<void>;
    beforeEach(async () => {
      database = await open();
      const own = createDatabaseFeed(database.db);
      feed = own;
      close = async () => {};
      if (way === 'itself') return;
      const served = await serveInternalRoutes((app) => addFeedRoutes(app, own));
      feed = createFeedClient([served.client]);
      close = served.close;
    });
    afterEach(async () => {
      await close();
      await database.close();
    });

    const changes = [
      { kind: 'api-key', keyHash: 'ab' },
      { kind: 'content', contentId: 'film' },
      { kind: 'leases', leaseId: null, viewerId: 'żółw / 亀', contentId: null },
    ] as const;

    test('the change feed returns every change after a number, in order, the last number in use, and its history: the name of the database, the id of each row and of the row before it', async () => {
      expect(await feed.since(await feed.head())).toMatchObject({ head: await feed.head(), changes: [] });
      const clock = createManualClock();
      const before = await feed.head();
      const ledger = createLedger({ db: database.db, bus: createInProcessBus(() => {}), clock });
      for (const change of changes) await ledger.write(async (entry) => void (await entry.change(change)));
      expect(await feed.head()).toBe(before + 3);
      const { head, history, changes: rows } = await feed.since(before + 1);
      expect(head).toBe(before + 3);
      expect(rows).toMatchObject(
        [2, 3].map((n) => ({ number: before + n, at: clock.now(), change: changes[n - 1] })),
      );
      expect(history).toEqual(expect.any(String));
      expect(rows.map(({ id }) => id)).toEqual(rows.map(() => expect.stringMatching(/^[0-9a-f]{32}$/)));
      expect(rows.slice(1).map(({ previous }) => previous)).toEqual(rows.slice(0, -1).map(({ id }) => id));
    });

    test('the change feed keeps the number of a change that this code cannot read', async () => {
      await database.db
        .insertInto('changes')
        .values({ number: 99, at: 1, id: 'a', change: 'not JSON' })
        .execute();
      expect((await feed.since(98)).changes).toMatchObject([{ number: 99, at: 1, change: null }]);
    });

    test('reading the change feed fails where the database does not answer', async () => {
      await database.close();
      await expect(feed.head()).rejects.toThrow();
      await expect(feed.since(0)).rejects.toThrow();
      database = await open();
    });
  });
});
