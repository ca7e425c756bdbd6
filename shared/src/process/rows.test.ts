import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../db/index.ts';
import { createManualClock } from '../testing/index.ts';
import { stopTime } from '../testing/stop-time.ts';
import { databaseDependencies } from './rows.ts';

const root = join(import.meta.dirname, '..', '..', '..');

test.each(['auth', 'content', 'leases'])(
  'the %s service does not start without DATABASE_URL, and says which form it accepts: on a file of its own it would have a change feed of its own',
  (service) => {
    const env = { PATH: process.env.PATH, INTERNAL_SECRET: 'between services, 32 bytes or more' };
    const { status, stderr } = spawnSync(process.execPath, [`services/${service}/src/serve.ts`], {
      cwd: root,
      env: { ...env, ALLOW_ANONYMOUS_VIEWERS: 'true', SQLITE_PATH: ':memory:' },
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/DATABASE_URL.*postgres/);
  },
);

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
