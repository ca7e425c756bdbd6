import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { databaseKinds } from '../testing/index.ts';
import { createOwnPostgres } from '../testing/own-postgres.ts';
import { makeTestFolder } from '../testing/test-folder.ts';
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

  test('a database with the schema of an unreleased version is refused, unchanged, with what to do', async () => {
    const db = await openOwn();
    await sql`delete from kysely_migration where name <> '0001-baseline'`.execute(db);
    await sql`update kysely_migration set name = '0001-initial'`.execute(db);
    await sql`insert into kysely_migration (name, timestamp) values ('0018-audit-readers', '2026-11-01')`.execute(
      db,
    );
    const refused =
      /schema 0018-audit-readers of a version before 0\.3\.0.*docs\/operate\/upgrade\.md#from-a-version-before-030/;
    await expect(migrate(db)).rejects.toThrow(refused);
    await expect(readMigrationState(db)).rejects.toThrow(refused);
    const { rows } = await sql`select name from kysely_migration order by name`.execute(db);
    expect(rows).toEqual([{ name: '0001-initial' }, { name: '0018-audit-readers' }]);
  });
});

describe('on a SQLite file', () => {
  async function openFile(folder = makeTestFolder()) {
    const path = join(folder, 'latchkey.db');
    const db = openDatabase({ sqlitePath: path });
    onTestFinished(() => db.destroy());
    return { db, path };
  }

  test('a migration that fails half-way leaves nothing behind, and is applied whole by the next run', async () => {
    const { db } = await openFile();
    await migrate(db);
    const failing = (error: Error | null) => ({
      up: async (tx: Kysely<unknown>) => {
        await addColumn('next').up(tx);
        if (error) throw error;
      },
    });
    const run = (error: Error | null) => migrate(db, knowing({ '9001-next': failing(error) }));
    await expect(run(new Error('half-way'))).rejects.toThrow('half-way');
    expect(await columnsOf(db, 'leases')).not.toContain('next');
    expect(await run(null)).toEqual(['9001-next']);
    expect(await columnsOf(db, 'leases')).toContain('next');
  });

  test('a file whose first migration was killed half-way is migrated whole by the next start', async () => {
    const { db, path } = await openFile();
    const first = '0001-baseline';
    const left = makeTestFolder();
    // Killed here, a process leaves these files. The cache is so small that the tables are in the log before the commit.
    const killed = {
      up: async (tx: Kysely<unknown>) => {
        await sql`pragma cache_size = 1`.execute(tx);
        await migrations[first]?.up(tx);
        for (const name of readdirSync(dirname(path)))
          copyFileSync(join(dirname(path), name), join(left, name));
      },
    };
    await migrate(db, { migrations: { [first]: killed }, needed: first });
    expect(statSync(join(left, 'latchkey.db-wal')).size).toBeGreaterThan(100_000);
    const { db: next } = await openFile(left);
    expect(await readMigrationState(next)).toMatchObject({ version: null, pending: own });
    expect(await migrate(next)).toEqual(own);
    expect(await next.selectFrom('change_counter').select('number').execute()).toEqual([{ number: 0 }]);
  });

  test('two first starts at once on one file both succeed, and each migration is applied once', async () => {
    const folder = makeTestFolder();
    const [first, second] = [await openFile(folder), await openFile(folder)];
    const applied = await Promise.all([
      migrate(first.db, knowing(afterNext)),
      migrate(second.db, knowing(afterNext)),
    ]);
    expect(applied.flat().sort()).toEqual([...own, ...Object.keys(afterNext)]);
  });
});

describe.skipIf(url === '')('on Postgres, while a service writes', () => {
  /** A migrated database, and the transaction of a service in it. */
  async function openBefore() {
    const own = await createOwnPostgres(url, process.env.TEST_POSTGRES_TEMPLATE);
    const db = own.open();
    const service = new pg.Client(own.databaseUrl);
    await service.connect();
    onTestFinished(async () => {
      await service.end();
      await db.destroy();
      await own.close();
    });
    await service.query('begin');
    const waitedFor = `select 1 from pg_locks join pg_class on pg_class.oid = relation
      where not granted and relname = $1`;
    /** Resolves once the migration waits for the table. */
    const reaches = (table: string) =>
      vi.waitFor(async () => expect((await service.query(waitedFor, [table])).rowCount).toBe(1), 30_000);
    return { db, service, reaches };
  }
  const alter = (db: Kysely<unknown>, table: string) =>
    db.schema.alterTable(table).addColumn('next', 'text').execute();

  test('a migration that waits for one table keeps no lock on another, which the service uses next', async () => {
    const { db, service, reaches } = await openBefore();
    // As a service registers a content: its row, then the number of the change.
    await service.query('lock table contents in row exclusive mode');
    const two = {
      '9001-counter': { up: (tx: Kysely<unknown>) => alter(tx, 'change_counter') },
      '9002-contents': { up: (tx: Kysely<unknown>) => alter(tx, 'contents') },
    };
    const migrating = migrate(db, knowing(two));
    await reaches('contents');
    await service.query('update change_counter set number = number');
    await service.query('commit');
    expect(await migrating).toEqual(Object.keys(two));
  });

  test('a migration that waits for a service that waits for it begins again, and is applied', async () => {
    const { db, service, reaches } = await openBefore();
    // So that the migration is the one that Postgres ends.
    await service.query("set deadlock_timeout = '20s'");
    await service.query('lock table changes in row exclusive mode');
    const both = async (tx: Kysely<unknown>) => {
      await alter(tx, 'change_counter');
      await alter(tx, 'changes');
    };
    const migrating = migrate(db, knowing({ '9001-both': { up: both } }));
    await reaches('changes');
    await service.query('update change_counter set number = number');
    await service.query('commit');
    expect(await migrating).toEqual(['9001-both']);
  });
});
