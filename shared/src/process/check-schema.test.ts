import { describe, expect, onTestFinished, test } from 'vitest';
import { type KnownSchema, migrate, openDatabase } from '../db/index.ts';
import { migrations } from '../db/migrations/index.ts';
import { databaseKinds } from '../testing/index.ts';
import { createSchemaCheck } from './check-schema.ts';

const last = Object.keys(migrations).at(-1) ?? '';
/** What the operator reads of the database. */
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

  test('its own schema: ready, and nothing to say', async () => {
    const log = createLog();
    expect(await createSchemaCheck(await openOwn(), name, log)()).toEqual({ version: last });
    expect(log.warnings).toEqual([]);
  });

  test('an older schema on which the code runs: ready, shown, and said once', async () => {
    const log = createLog();
    const check = createSchemaCheck(await openOwn(), name, log, newer);
    for (let n = 0; n < 3; n++) expect(await check()).toEqual({ version: last, pending: ['9001-next'] });
    expect(log.warnings).toEqual([
      expect.stringMatching(/older.*9001-next.*SQLite at \/srv\/latchkey\.db.*latchkey migrate/),
    ]);
  });

  test('a newer schema: ready, shown, and said once', async () => {
    const db = await openOwn();
    await migrate(db, newer);
    const log = createLog();
    const check = createSchemaCheck(db, name, log);
    for (let n = 0; n < 3; n++)
      expect(await check()).toEqual({ version: '9001-next', unknown: ['9001-next'] });
    expect(log.warnings).toEqual([expect.stringMatching(/newer.*9001-next/)]);
  });

  test('a schema without which the code does not run: not ready, with the name of the database, until it is there', async () => {
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

test('an empty database: not ready', async () => {
  const db = openDatabase({ sqlitePath: ':memory:' });
  onTestFinished(() => db.destroy());
  await expect(createSchemaCheck(db, name, createLog())()).rejects.toThrow('0001-initial');
});
