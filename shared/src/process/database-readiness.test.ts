import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, type KnownSchema, migrate, openDatabase } from '../db/index.ts';
import { migrations } from '../db/migrate.ts';
import { createManualClock, databaseKinds } from '../testing/index.ts';
import { openSqliteFile } from '../testing/sqlite-file.ts';
import { stopTime } from '../testing/stop-time.ts';
import { createSchemaCheck, databaseDependencies } from './service-database.ts';

const last = Object.keys(migrations).at(-1) ?? '';
/** The name of the database in messages to the operator. */
const name = 'SQLite at /srv/latchkey.db';
const newer: KnownSchema = {
  migrations: { ...migrations, '9001-next': { up: async () => {} } },
  needed: last,
};

function createLog() {
  const warnings: string[] = [];
  return { warnings, info() {}, warn: (message: string) => void warnings.push(message), error() {} };
}

describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  async function openOwn() {
    const { db, close } = await open();
    onTestFinished(close);
    return db;
  }

  test('on its own schema a process is ready and logs nothing', async () => {
    const log = createLog();
    expect(await createSchemaCheck(await openOwn(), name, log)()).toEqual({ version: last });
    expect(log.warnings).toEqual([]);
  });

  test('on an older schema that is enough a process is ready, shows what is pending and logs it once', async () => {
    const log = createLog();
    const check = createSchemaCheck(await openOwn(), name, log, newer);
    for (let n = 0; n < 3; n++) expect(await check()).toEqual({ version: last, pending: ['9001-next'] });
    expect(log.warnings).toEqual([
      expect.stringMatching(/older.*9001-next.*SQLite at \/srv\/latchkey\.db.*latchkey migrate/),
    ]);
  });

  test('on a newer schema a process is ready, shows what it does not know and logs it once', async () => {
    const db = await openOwn();
    await migrate(db, newer);
    const log = createLog();
    const check = createSchemaCheck(db, name, log);
    for (let n = 0; n < 3; n++)
      expect(await check()).toEqual({ version: '9001-next', unknown: ['9001-next'] });
    expect(log.warnings).toEqual([expect.stringMatching(/newer.*9001-next/)]);
  });

  test('without a schema that it needs a process is not ready and names the database, until the schema exists', async () => {
    const db = await openOwn();
    const needy = { ...newer, needed: '9001-next' };
    const check = createSchemaCheck(db, name, createLog(), needy);
    await expect(check()).rejects.toThrow(
      'The database lacks 9001-next; it is SQLite at /srv/latchkey.db. Run: latchkey migrate',
    );
    await migrate(db, needy);
    expect(await check()).toEqual({ version: '9001-next' });
  });
});

test('on the schema of an unreleased version a process is not ready, and names the document with the steps', async () => {
  const { db } = await openSqliteFile();
  await sql`delete from kysely_migration where name <> '0001-baseline'`.execute(db);
  await sql`update kysely_migration set name = '0001-initial'`.execute(db);
  await expect(createSchemaCheck(db, name, createLog())()).rejects.toThrow(
    /0001-initial.*docs\/operate\/upgrade\.md/,
  );
});

test('on an empty database a process is not ready', async () => {
  const db = openDatabase({ sqlitePath: ':memory:' });
  onTestFinished(() => db.destroy());
  await expect(createSchemaCheck(db, name, createLog())()).rejects.toThrow('0001-baseline');
});

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
  const outcome = Promise.resolve(database?.check()).catch((error: Error) => error);
  time.advance(800);
  expect(await outcome).toMatchObject({ message: expect.stringContaining('takes no writes') });
  await real.destroy();
});
