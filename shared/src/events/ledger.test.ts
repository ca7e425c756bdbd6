import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { createInProcessBus } from './bus.ts';
import { appendChanges, createDatabaseFeed, purgeChanges } from './database-feed.ts';
import { createFeedFollower } from './feed-follower.ts';
import { pullIntervalMs } from './feed-position.ts';
import { createLedger } from './ledger.ts';
import type { BusMessage } from './message.ts';

const change = (contentId: string) => ({ kind: 'content' as const, contentId });
const audit = {
  actor: { kind: 'api-key' as const, id: 'k' },
  action: 'content.update',
  target: 'a',
  clientIp: null,
  requestId: null,
  outcome: 'done' as const,
  code: null,
};

describe.each(databaseKinds(process.env))('the ledger and its feed on $name', ({ open }) => {
  let database: TestDatabase;
  let received: BusMessage[];
  const clock = createManualClock();
  const bus = createInProcessBus(() => {});
  bus.subscribe((message) => void received.push(message));
  beforeEach(async () => {
    received = [];
    database = await open();
  });
  afterEach(() => database.close());

  const ledger = () => createLedger({ db: database.db, bus, clock });
  const feed = () => createDatabaseFeed(database.db);
  const write = (contentId: string) => ledger().write((entry) => entry.change(change(contentId)));

  test('an act stores its change and audit row, and is announced after the commit', async () => {
    let heardInside = 0;
    const result = await ledger().write(async (entry) => {
      await entry.change(change('a'));
      await entry.audit(audit);
      entry.notice({ topic: 'content', event: 'updated', data: { id: 'a' } });
      heardInside = received.length;
      return 'done';
    });
    expect([result, heardInside]).toEqual(['done', 0]);
    expect(received).toMatchObject([
      { type: 'change', number: 1, at: clock.now(), change: change('a') },
      { type: 'notice', notice: { topic: 'audit', event: 'recorded', data: { action: 'content.update' } } },
      { type: 'notice', notice: { topic: 'content', event: 'updated' } },
    ]);
    expect(await feed().since(0)).toMatchObject({
      head: 1,
      changes: [{ number: 1, at: clock.now(), change: change('a') }],
    });
  });

  test('a failed act is neither stored nor announced', async () => {
    const failing = ledger().write(async (entry) => {
      await entry.change(change('a'));
      await entry.audit(audit);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(received).toEqual([]);
    expect(await feed().since(0)).toMatchObject({ head: 0, changes: [] });
    expect(await database.db.selectFrom('audit').select('number').execute()).toEqual([]);
  });

  test('an act that the database aborted and ran again is announced once', async () => {
    let attempts = 0;
    await ledger().write(async (entry) => {
      await entry.change(change('a'));
      if (++attempts === 1) throw Object.assign(new Error('deadlock'), { code: '40P01' });
    });
    expect(received).toMatchObject([{ type: 'change', number: 1 }]);
    expect((await feed().since(0)).changes).toHaveLength(1);
  });

  test('concurrent acts are numbered without a gap, also where some of them fail', async () => {
    const acts = Array.from({ length: 40 }, (_, i) =>
      i % 4 === 0
        ? ledger()
            .write(async (entry) => {
              await entry.change(change('x'));
              throw new Error('no');
            })
            .catch(() => {})
        : write(`c${i}`),
    );
    await Promise.all(acts);
    const { head, changes } = await feed().since(0);
    expect(head).toBe(30);
    expect(changes.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  test('old changes are purged, and a follower that was away for longer drops every state', async () => {
    const silent = createInProcessBus(() => {});
    const follower = createFeedFollower({ feed: feed(), bus: silent, clock });
    const received: unknown[] = [];
    follower.onChange((given) => void received.push(given));
    await follower.pull();
    await database.db.transaction().execute(async (tx) => {
      for (let at = 1; at <= 5; at++) await appendChanges(tx, [change(`c${at}`)], at);
    });
    await follower.pull();
    expect(received.splice(0)).toEqual([null, ...[1, 2, 3, 4, 5].map((at) => change(`c${at}`))]);
    await database.db.transaction().execute(async (tx) => {
      for (let at = 6; at <= 9; at++) await appendChanges(tx, [change(`c${at}`)], at);
    });
    expect(await purgeChanges(database.db, 8)).toBe(7);
    await follower.pull();
    expect(received).toEqual([null]);
    await write('later');
    await follower.pull();
    expect(received).toEqual([null, change('later')]);
  });

  test('one pull reads more changes than a page has', async () => {
    const follower = createFeedFollower({ feed: feed(), bus: createInProcessBus(() => {}), clock });
    await follower.pull();
    let received = 0;
    follower.onChange(() => received++);
    const rows = Array.from({ length: 2_500 }, (_, i) => ({
      number: i + 1,
      at: 1,
      id: String(i + 1),
      previous: String(i),
      change: JSON.stringify(change('a')),
    }));
    for (let i = 0; i < rows.length; i += 500)
      await database.db
        .insertInto('changes')
        .values(rows.slice(i, i + 500))
        .execute();
    await database.db.updateTable('change_counter').set({ number: 2_500 }).execute();
    await follower.pull();
    expect(received).toBe(2_500);
  });

  test('a record receives the latest changes from before the first read, a bounded number of them', async () => {
    for (let i = 1; i <= 5; i++) await write(`c${i}`);
    const received: unknown[] = [];
    const record = {
      add: (number: number) => void received.push(number),
      advance: () => {},
      caughtUp: () => {},
      restart: (number: number) => void received.push(`from ${number}`),
    };
    const silent = createInProcessBus(() => {});
    const follower = createFeedFollower({ feed: feed(), bus: silent, clock, record, recalledChanges: 3 });
    await follower.pull();
    await write('c6');
    await follower.pull();
    expect(received).toEqual(['from 5', 'from 3', 3, 4, 5, 6]);
  });

  test('an unreadable change makes the follower drop every state instead of skipping it', async () => {
    const follower = createFeedFollower({ feed: feed(), bus: createInProcessBus(() => {}), clock });
    const received: unknown[] = [];
    await follower.pull();
    follower.onChange((given) => void received.push(given));
    await database.db
      .insertInto('changes')
      .values({ number: 1, at: 1, id: 'a', change: '{"kind":"newer"}' })
      .execute();
    await database.db.updateTable('change_counter').set({ number: 1 }).execute();
    await follower.pull();
    expect(received).toEqual([null]);
  });
});

test('a failed pull rejects, and states are confirmed only up to the last pull that succeeded', async () => {
  const clock = createManualClock();
  let works = true;
  const head = async () => {
    if (!works) throw new Error('lost');
    return 0;
  };
  const feed = { head, since: async () => ({ head: await head(), history: '', changes: [] }) };
  const follower = createFeedFollower({ feed, bus: createInProcessBus(() => {}), clock });
  const heldAtMs = clock.monotonic();
  expect(follower.ageMs()).toBeNull();
  await follower.pull();
  clock.advance(4_000);
  await follower.pull();
  works = false;
  clock.advance(5_000);
  await expect(follower.pull()).rejects.toThrow('lost');
  expect([follower.vouchesFor(heldAtMs), follower.ageMs()]).toEqual([true, 5_000]);
  clock.advance(1);
  expect(follower.vouchesFor(heldAtMs)).toBe(false);
  works = true;
  await follower.pull();
  expect(follower.vouchesFor(heldAtMs)).toBe(true);
});

test.each([
  [1_000, 200],
  [60_000, 1_000],
])(
  'with a limit of %i ms the feed vouches for a state that was confirmed within it, and is pulled every %i ms',
  async (limitMs, everyMs) => {
    const clock = createManualClock();
    const feed = { head: async () => 0, since: async () => ({ head: 0, history: '', changes: [] }) };
    const follower = createFeedFollower({ feed, bus: createInProcessBus(() => {}), clock, limitMs });
    const heldAtMs = clock.monotonic();
    await follower.pull();
    clock.advance(limitMs);
    expect(follower.vouchesFor(heldAtMs)).toBe(true);
    clock.advance(1);
    expect(follower.vouchesFor(heldAtMs)).toBe(false);
    await follower.pull();
    expect(follower.vouchesFor(heldAtMs)).toBe(true);
    expect(pullIntervalMs(follower.limitMs)).toBe(everyMs);
  },
);
