import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { createRefusalLog } from './refusal-log.ts';

const entry = (target: string) => ({
  actor: { kind: 'anonymous' as const, id: null },
  action: 'api-key.create',
  target,
  clientIp: '203.0.113.7',
  requestId: 'r-1',
  outcome: 'refused' as const,
  code: 'INVALID_API_KEY',
});

describe.each(databaseKinds(process.env))('refusals on $name', ({ open }) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  const targets = async () =>
    (await database.db.selectFrom('audit').select('target').orderBy('number').execute()).map(
      (row) => row.target,
    );

  test('are stored by the time the promise resolves, in their order', async () => {
    const refusals = createRefusalLog(database.db, createManualClock(), () => {});
    await Promise.all([refusals.record(entry('a')), refusals.record(entry('b'))]);
    expect(await targets()).toEqual(['a', 'b']);
    await refusals.record(entry('c'));
    expect(await targets()).toEqual(['a', 'b', 'c']);
  });

  test('share transactions: thousands at once are a few commits, and none is lost', async () => {
    let transactions = 0;
    const counted = new Proxy(database.db, {
      get(target, name) {
        if (name === 'transaction') transactions++;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const refusals = createRefusalLog(counted, createManualClock(), () => {});
    await Promise.all(Array.from({ length: 2_500 }, (_, i) => refusals.record(entry(`${i}`))));
    expect(await targets()).toHaveLength(2_500);
    expect(transactions).toBe(1);
  });
});

test('where they cannot be stored, the operator hears it, and the caller is not held up', async () => {
  const [sqlite] = databaseKinds({});
  const database = await sqlite?.open();
  if (!database) throw new Error('there is always SQLite');
  await database.close();
  const faults: unknown[] = [];
  const refusals = createRefusalLog(database.db, createManualClock(), (error) => void faults.push(error));
  await refusals.record(entry('a'));
  expect(faults).toHaveLength(1);
});
