import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../db/index.ts';
import { createManualClock } from '../testing/index.ts';
import { stopTime } from '../testing/stop-time.ts';
import { databaseDependencies } from './service-database.ts';

test('a database whose writes hang is reported as degraded before the gateway stops waiting after 900 ms', async () => {
  const real = openDatabase({ sqlitePath: ':memory:' });
  const hanging = { set: () => hanging, where: () => hanging, execute: () => new Promise(() => {}) };
  const db = new Proxy(real, {
    get: (target, name) =>
      name === 'updateTable' ? () => hanging : Reflect.get(target, name, target).bind?.(target),
  }) as Database;
  const time = stopTime();
  const [database] = databaseDependencies(db, createManualClock(0), () =>
    Promise.reject(new Error('not asked')),
  );
  const told = Promise.resolve(database?.check()).catch((error: Error) => error);
  time.advance(800);
  expect(await told).toMatchObject({ message: expect.stringContaining('takes no writes') });
  await real.destroy();
});
