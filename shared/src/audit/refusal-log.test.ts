import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../contracts/index.ts';
import type { Database } from '../db/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { groupsPerMinute } from './refusal-groups.ts';
import { createRefusalLog } from './refusal-log.ts';

const stranger: Actor = { kind: 'anonymous', id: null };
const viewer: Actor = { kind: 'viewer', id: 'ada' };
const entry = (target: string, actor = viewer, clientIp = '203.0.113.7', action = 'api-key.create') => ({
  actor,
  action,
  target,
  clientIp,
  requestId: `r-${target}`,
  outcome: 'refused' as const,
  code: 'INVALID_API_KEY',
});
/** The database, with a note of each transaction before it begins. */
const watch = (db: Database, onTransaction: () => unknown) =>
  new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') onTransaction();
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
const fromStranger = (clientIp: string, action?: string) => entry('t', stranger, clientIp, action);

describe.each(databaseKinds(process.env))('refusals on $name', ({ open }) => {
  let database: TestDatabase;
  let clock: ReturnType<typeof createManualClock>;
  let refusals: ReturnType<typeof createRefusalLog>;
  beforeEach(async () => {
    database = await open();
    clock = createManualClock();
    refusals = createRefusalLog(database.db, clock, (error) => {
      throw error;
    });
  });
  afterEach(() => database.close());

  const rows = () => database.db.selectFrom('audit').selectAll().orderBy('number').execute();
  const targets = async () => (await rows()).map((row) => row.target);
  /** For each row: its sender, its action and its count. */
  const counted = async () => {
    await refusals.settle();
    return (await rows()).map(({ client_ip, actor_id, action, count }) =>
      [actor_id ?? client_ip, action, count].join(' '),
    );
  };

  test('refusals of a known actor are stored in order before the promise resolves', async () => {
    await Promise.all([refusals.record(entry('a')), refusals.record(entry('b'))]);
    expect(await targets()).toEqual(['a', 'b']);
    await refusals.record(entry('c'));
    expect(await targets()).toEqual(['a', 'b', 'c']);
  });

  test('a thousand refusals at once share one commit, and each has its row', async () => {
    let transactions = 0;
    const own = createRefusalLog(
      watch(database.db, () => transactions++),
      clock,
      () => {},
    );
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => own.record(entry(`${i}`))));
    expect(await targets()).toHaveLength(1_000);
    expect(transactions).toBe(1);
  });

  test('a stranger gets one row a minute for an address and an action, stored before the first answer, with the number', async () => {
    await refusals.record(fromStranger('203.0.113.7'));
    expect(await rows()).toMatchObject([
      { target: 't', request_id: 'r-t', code: 'INVALID_API_KEY', count: 1 },
    ]);
    for (let n = 0; n < 500; n++) await refusals.record(fromStranger('203.0.113.7'));
    await refusals.record(fromStranger('203.0.113.8'));
    await refusals.record(fromStranger('203.0.113.7', 'lease.list'));
    clock.advance(60_000);
    await refusals.record(fromStranger('203.0.113.7'));
    expect(await counted()).toEqual([
      '203.0.113.7 api-key.create 501',
      '203.0.113.8 api-key.create 1',
      '203.0.113.7 lease.list 1',
      '203.0.113.7 api-key.create 1',
    ]);
  });

  test('refusals from twenty thousand addresses in a minute take few rows, and each is counted', async () => {
    const actions = ['api-key.create', 'lease.list'];
    const waits = Array.from({ length: 20_000 }, (_, n) =>
      refusals.record(fromStranger(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, actions[n % 2])),
    );
    await Promise.all(waits);
    await refusals.settle();
    const all = await rows();
    expect(all.length).toBe(groupsPerMinute + actions.length);
    expect(all.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(20_000);
    expect(all.slice(groupsPerMinute)).toMatchObject([
      { client_ip: null, request_id: null, target: null, action: 'api-key.create' },
      { client_ip: null, request_id: null, target: null, action: 'lease.list' },
    ]);
  });

  test('one viewer cannot fill the disk: beyond its own rows and ten more a minute its refusals are counted in shared rows', async () => {
    for (let n = 0; n < 1_500; n += 100)
      await Promise.all(Array.from({ length: 100 }, (_, i) => refusals.record(entry(`${n + i}`))));
    await refusals.settle();
    const first = await rows();
    expect(first).toHaveLength(1_001);
    expect(first.at(-1)).toMatchObject({ actor_id: 'ada', count: 500, target: '1000' });
    clock.advance(60_000);
    await Promise.all(Array.from({ length: 100 }, (_, i) => refusals.record(entry(`later ${i}`))));
    await refusals.settle();
    expect((await rows()).slice(1_001)).toHaveLength(11);
    expect((await rows()).at(-1)).toMatchObject({ count: 90 });
  });

  test('many viewers share one budget of rows, which keeps their tokens from filling the disk, and API keys are named', async () => {
    for (let viewerId = 0; viewerId < 30; viewerId++) {
      const actor: Actor = { kind: 'viewer', id: `v${viewerId}` };
      await Promise.all(Array.from({ length: 1_000 }, (_, i) => refusals.record(entry(`${i}`, actor))));
    }
    await refusals.settle();
    const all = await rows();
    expect(all.length).toBeLessThan(10_100);
    expect(all.reduce((sum, { count }) => sum + (count ?? 1), 0)).toBe(30_000);
    expect(new Set(all.map(({ actor_id }) => actor_id)).size).toBe(30);
  });

  test('a count that grows after its row is read as final gets a row of its own, which grows again', async () => {
    for (let n = 0; n < 3; n++) await refusals.record(fromStranger('203.0.113.7'));
    await refusals.settle();
    // As where this process stood still for minutes.
    clock.setWall(clock.now() + 300_000);
    for (let n = 0; n < 2; n++) await refusals.record(fromStranger('203.0.113.7'));
    await refusals.settle();
    await refusals.record(fromStranger('203.0.113.7'));
    await refusals.settle();
    expect((await rows()).map(({ count }) => count)).toEqual([3, 3]);
  });

  test('numbers that a database refused are written once it takes writes again', async () => {
    await refusals.record(fromStranger('203.0.113.7'));
    const faults: unknown[] = [];
    let isBroken = true;
    const breaking = watch(database.db, () => {
      if (isBroken) throw new Error('disk full');
    });
    const own = createRefusalLog(breaking, clock, (error) => void faults.push(String(error)));
    for (let n = 0; n < 5; n++) await own.record(fromStranger('203.0.113.9'));
    await own.record(entry('lost'));
    isBroken = false;
    clock.advance(60_000);
    await own.record(fromStranger('203.0.113.9'));
    await own.settle();
    expect((await counted()).slice(1)).toEqual([
      '203.0.113.9 api-key.create 5',
      '203.0.113.9 api-key.create 1',
    ]);
    expect(faults.at(-1)).toBe('Error: disk full');
  });
});

test('where the database does not answer, a refused caller waits at most a second', async () => {
  const [sqlite] = databaseKinds({});
  const database = await sqlite?.open();
  if (!database) throw new Error('there is always SQLite');
  const silent = new Proxy(database.db, {
    get: (target, name) =>
      name === 'transaction'
        ? () => ({ execute: () => new Promise(() => {}) })
        : Reflect.get(target, name, target),
  });
  const refusals = createRefusalLog(silent, createManualClock(), () => {});
  await Promise.all([refusals.record(entry('a')), refusals.record(fromStranger('203.0.113.7'))]);
  await database.close();
});

test('where refusals cannot be stored, the log says so, and the caller does not wait', async () => {
  const [sqlite] = databaseKinds({});
  const database = await sqlite?.open();
  if (!database) throw new Error('there is always SQLite');
  await database.close();
  const faults: unknown[] = [];
  const refusals = createRefusalLog(database.db, createManualClock(), (error) => void faults.push(error));
  await Promise.all([refusals.record(entry('a')), refusals.record(entry('b'))]);
  expect(faults).toHaveLength(1);
});
