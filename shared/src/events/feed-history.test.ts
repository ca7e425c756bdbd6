import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renewFeedHistory } from '../db/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { createInProcessBus } from './bus.ts';
import { appendChanges, createDatabaseFeed, purgeChanges } from './database-feed.ts';
import { createFeedFollower } from './feed-follower.ts';
import type { BusMessage } from './message.ts';

type Case = [what: string, restore: () => Promise<unknown>];
const change = (contentId: string) => ({ kind: 'content' as const, contentId });

// As where a Postgres that had not got the last transactions yet takes over from the one that had.
describe.each(databaseKinds(process.env))(
  'a follower of a feed that was put back on $name',
  ({ name, open }) => {
    let database: TestDatabase;
    const clock = createManualClock();
    beforeEach(async () => {
      database = await open();
      for (let number = 1; number <= 3; number++) await write(`c${number}`);
    });
    afterEach(() => database.close());

    /** @returns what is announced of it */
    async function write(contentId: string): Promise<BusMessage> {
      clock.advance(10);
      const [at, written] = [clock.now(), change(contentId)];
      const [appended] = await database.db.transaction().execute((tx) => appendChanges(tx, [written], at));
      if (!appended) throw new Error('the change feed returned no number');
      return { type: 'change', ...appended, at, change: written };
    }

    async function putBackTo(number: number): Promise<void> {
      await database.db.deleteFrom('changes').where('number', '>', number).execute();
      await database.db.updateTable('change_counter').set({ number }).execute();
    }

    async function loadDump(): Promise<void> {
      await sql`alter table change_counter rename to before`.execute(database.db);
      await sql`create table change_counter as table before`.execute(database.db);
    }

    async function follow() {
      const bus = createInProcessBus(() => {});
      const follower = createFeedFollower({ feed: createDatabaseFeed(database.db), bus, clock });
      await follower.pull();
      const received: unknown[] = [];
      follower.onChange((given) => void received.push(given));
      return { bus, received, pull: follower.pull };
    }

    test('a follower drops every state where its last number was given out again, and follows from there', async () => {
      const { received, pull } = await follow();
      await write('lost');
      await pull();
      await putBackTo(3);
      await write('instead');
      await pull();
      expect(received).toEqual([change('lost'), null]);
      await write('later');
      await pull();
      expect(received).toEqual([change('lost'), null, change('later')]);
    });

    test('a follower drops every state where another row with the number of the last one was written in the same millisecond', async () => {
      const { received, pull } = await follow();
      const lost = await write('lost');
      await pull();
      await putBackTo(3);
      await write('instead');
      await database.db
        .updateTable('changes')
        .set({ at: lost.type === 'change' ? lost.at : 0 })
        .where('number', '=', 4)
        .execute();
      await pull();
      expect(received).toEqual([change('lost'), null]);
    });

    test('a follower drops every state where a pushed change was lost', async () => {
      const { bus, received, pull } = await follow();
      const lost = await write('lost');
      await putBackTo(3);
      bus.publish(lost);
      await write('instead');
      await pull();
      expect(received).toEqual([change('lost'), null]);
    });

    test('a follower drops every state where a pushed change was lost and nothing was written since', async () => {
      const { bus, received, pull } = await follow();
      const lost = await write('lost');
      await putBackTo(3);
      bus.publish(lost);
      await pull();
      expect(received).toEqual([change('lost'), null]);
      await pull();
      expect(received).toEqual([change('lost'), null]);
    });

    test('the next number of another history does not count as a continuation of lost rows', async () => {
      const { bus, received, pull } = await follow();
      bus.publish(await write('lost'));
      await putBackTo(3);
      await write('instead');
      bus.publish(await write('later'));
      await pull();
      expect(received).toEqual([change('lost'), change('later'), null]);
      await pull();
      expect(received).toHaveLength(3);
    });

    const remove = (comparison: '=' | '>' | '<=', number: number) =>
      database.db.deleteFrom('changes').where('number', comparison, number).execute();
    const writeAll = async (...contentIds: string[]) => {
      for (const contentId of contentIds) await write(contentId);
    };

    test.each<Case>([
      [
        'was restored and has come further than before',
        () => putBackTo(2).then(() => writeAll('a', 'b', 'c')),
      ],
      ['was restored and is behind what was pushed', () => putBackTo(1).then(() => write('instead'))],
      // It may mean another history.
      ['lacks a row between others', () => writeAll('a', 'b', 'c').then(() => remove('=', 5))],
      ['lacks its last rows', () => writeAll('a', 'b', 'c').then(() => remove('>', 4))],
      [
        'names another predecessor than the last known row, although that was removed',
        async () => {
          await putBackTo(2);
          await writeAll('instead', 'next');
          await remove('<=', 3);
        },
      ],
      ['has a history that an operator renewed', () => renewFeedHistory(database.db, () => 'restored')],
      ...(name === 'Postgres' ? [['has tables over which a dump was loaded', loadDump] as Case] : []),
    ])('a follower drops every state once where the feed %s, and follows from there', async (_, restore) => {
      const { received, pull } = await follow();
      await restore();
      await pull();
      expect(received.filter((given) => given === null)).toEqual([null]);
      expect(received.at(-1)).toBe(null);
      await pull();
      await write('later');
      await pull();
      expect(received.slice(received.indexOf(null))).toEqual([null, change('later')]);
    });

    test('a follower detects a restore to before all removable rows, because the newest row stays', async () => {
      clock.advance(7_200_000);
      await purgeChanges(database.db, clock.now());
      expect(await database.db.selectFrom('changes').select('number').execute()).toEqual([{ number: 3 }]);
      const { received, pull } = await follow();
      await putBackTo(2);
      await write('instead');
      await pull();
      expect(received).toEqual([null]);
    });

    test('a follower drops no state where the database was not restored', async () => {
      const { bus, received, pull } = await follow();
      await pull();
      bus.publish(await write('new'));
      await pull();
      await pull();
      expect(received).toEqual([change('new')]);
    });
  },
);
