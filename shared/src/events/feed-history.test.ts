import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { createInProcessBus } from './bus.ts';
import { appendChange, createDatabaseFeed } from './change-feed.ts';
import { createFeedFollower } from './feed-follower.ts';

const change = (contentId: string) => ({ kind: 'content' as const, contentId });

// As where a Postgres that had not got the last transactions yet takes over from the one that had.
describe.each(databaseKinds(process.env))('a follower of a feed that was put back on $name', ({ open }) => {
  let database: TestDatabase;
  const clock = createManualClock();
  beforeEach(async () => {
    database = await open();
    for (let number = 1; number <= 3; number++) await write(`c${number}`);
  });
  afterEach(() => database.close());

  async function write(contentId: string): Promise<void> {
    clock.advance(10);
    await database.db
      .transaction()
      .execute((tx) => appendChange(tx, change(contentId), clock.now()).then(() => {}));
  }

  async function putBackTo(number: number): Promise<void> {
    await database.db.deleteFrom('changes').where('number', '>', number).execute();
    await database.db.updateTable('change_counter').set({ number }).execute();
  }

  async function follow() {
    const bus = createInProcessBus(() => {});
    const follower = createFeedFollower({ feed: createDatabaseFeed(database.db), bus, clock });
    await follower.pull();
    const told: unknown[] = [];
    follower.onChange((given) => void told.push(given));
    return { bus, told, pull: follower.pull };
  }

  test('forgets everything where the last number that it saw was given out again, and follows from there', async () => {
    const { told, pull } = await follow();
    await write('lost');
    await pull();
    await putBackTo(3);
    await write('instead');
    await pull();
    expect(told).toEqual([change('lost'), null]);
    await write('later');
    await pull();
    expect(told).toEqual([change('lost'), null, change('later')]);
  });

  test('forgets everything where the feed has come further than before', async () => {
    const { told, pull } = await follow();
    await putBackTo(2);
    for (const contentId of ['a', 'b', 'c']) await write(contentId);
    await pull();
    expect(told).toEqual([null]);
    await write('later');
    await pull();
    expect(told).toEqual([null, change('later')]);
  });

  test('forgets everything where it had only heard of what was lost', async () => {
    const { bus, told, pull } = await follow();
    bus.publish({ type: 'change', number: 4, at: clock.now(), change: change('lost') });
    await write('instead');
    await pull();
    expect(told).toEqual([change('lost'), null]);
  });

  test('forgets everything where fewer numbers were given out again than it had seen', async () => {
    const { told, pull } = await follow();
    await putBackTo(1);
    await write('instead');
    await pull();
    expect(told).toEqual([null]);
    await write('third');
    await pull();
    expect(told).toEqual([null, change('third')]);
  });

  test('forgets nothing where nothing was put back, whether anything is new or not', async () => {
    const { bus, told, pull } = await follow();
    await pull();
    await write('new');
    bus.publish({ type: 'change', number: 4, at: clock.now(), change: change('new') });
    await pull();
    await pull();
    expect(told).toEqual([change('new')]);
  });
});
