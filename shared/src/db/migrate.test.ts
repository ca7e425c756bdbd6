import type { Kysely } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { databaseKinds } from '../testing/index.ts';
import { createOwnPostgres } from '../testing/own-postgres.ts';
import { type KnownSchema, migrate, migrations, readMigrationState } from './migrate.ts';
import { type Database, openDatabase } from './open.ts';

const url = process.env.TEST_POSTGRES_URL ?? '';
const addColumn = (name: string) => ({
  up: (db: Kysely<unknown>) => db.schema.alterTable('leases').addColumn(name, 'text').execute(),
});
const own = Object.keys(migrations);
const last = own.at(-1) ?? '';
const next = { '9001-next': addColumn('next') };
const afterNext = { ...next, '9002-after-next': addColumn('after_next') };
const knowing = (more: KnownSchema['migrations'], needed = last): KnownSchema => ({
  migrations: { ...migrations, ...more },
  needed,
});

/** The table's columns, read without the schema's types: as text, in order of their names. */
async function columnsOf(db: Database, table: string): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return (tables.find(({ name }) => name === table)?.columns ?? []).map(({ name }) => name).sort();
}

describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  async function openOwn(): Promise<Database> {
    const { db, close } = await open();
    onTestFinished(close);
    return db;
  }

  test('a release on a newer schema names the unknown migrations, and its own migration changes nothing', async () => {
    const db = await openOwn();
    expect(await migrate(db, knowing(afterNext))).toEqual(['9001-next', '9002-after-next']);
    const columns = await columnsOf(db, 'leases');
    expect(await migrate(db)).toEqual([]);
    expect(await columnsOf(db, 'leases')).toEqual(columns);
    expect(await readMigrationState(db)).toEqual({
      version: '9002-after-next',
      pending: [],
      missing: [],
      unknown: ['9001-next', '9002-after-next'],
    });
    expect((await readMigrationState(db, knowing(next))).unknown).toEqual(['9002-after-next']);
  });

  test('a database with another migration in the place of ours is not migrated further', async () => {
    const db = await openOwn();
    await migrate(db, knowing({ '9001-other': addColumn('other') }));
    await expect(migrate(db, knowing(next))).rejects.toThrow(/9001-other.*but not 9001-next/);
    expect(await columnsOf(db, 'leases')).not.toContain('next');
  });
});

test('a migration that was interrupted between two columns adds the rest when it runs again', async () => {
  const db = openDatabase({ sqlitePath: ':memory:' });
  onTestFinished(() => db.destroy());
  const before = Object.fromEntries(Object.entries(migrations).slice(0, 2));
  await migrate(db, { migrations: before, needed: '0001-initial' });
  await db.schema.alterTable('changes').addColumn('id', 'text').execute();
  expect(await migrate(db)).toContain('0003-feed-history');
  expect(await db.selectFrom('changes').select(['id', 'previous']).execute()).toEqual([]);
});

test.each(own.filter((name) => name > '0002'))(
  'two first runs that do %s at the same time, statement by statement in turns, do not fail',
  async (name) => {
    const db = openDatabase({ sqlitePath: ':memory:' });
    onTestFinished(() => db.destroy());
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([other]) => other < name));
    await migrate(db, { migrations: earlier, needed: '0001-initial' });
    const run = () => migrations[name as keyof typeof migrations]?.up(db as never);
    await expect(Promise.all([run(), run()])).resolves.toHaveLength(2);
  },
);

describe.skipIf(url === '')('on Postgres, while a service writes', () => {
  /** A database of an earlier schema, and the transaction of a service in it. */
  async function openBefore() {
    const own = await createOwnPostgres(url);
    const db = own.open();
    const service = new pg.Client(own.databaseUrl);
    await service.connect();
    onTestFinished(async () => {
      await service.end();
      await db.destroy();
      await own.close();
    });
    const released = Object.fromEntries(Object.entries(migrations).slice(0, 2));
    await migrate(db, { migrations: released, needed: '0001-initial' });
    await service.query('begin');
    const waitedFor = `select 1 from pg_locks join pg_class on pg_class.oid = relation
      where not granted and relname = $1`;
    /** Resolves once the migration waits for the table. */
    const reaches = (table: string) =>
      vi.waitFor(async () => expect((await service.query(waitedFor, [table])).rowCount).toBe(1), 30_000);
    return { db, service, reaches };
  }

  test('a migration that waits for one table keeps no lock on another, which the service uses next', async () => {
    const { db, service, reaches } = await openBefore();
    // As a service registers a content: its row, then the number of the change.
    await service.query('lock table contents in row exclusive mode');
    const migrating = migrate(db);
    await reaches('contents');
    await service.query('update change_counter set number = number');
    await service.query('commit');
    expect(await migrating).toContain(last);
  });

  test('a migration that waits for a service that waits for it begins again, and is applied', async () => {
    const { db, service, reaches } = await openBefore();
    // No service uses them in this order. So that the migration is the one that Postgres ends.
    await service.query("set deadlock_timeout = '20s'");
    await service.query('lock table changes in row exclusive mode');
    const migrating = migrate(db);
    await reaches('changes');
    await service.query('update change_counter set number = number');
    await service.query('commit');
    expect(await migrating).toContain(last);
  });
});
