import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { type KnownSchema, migrations, neededMigration } from '../migrate.ts';
import { findBreakingStatements } from './find-breaking-statements.ts';

type Change = (db: Kysely<unknown>) => Promise<unknown>;
const judge = (change: Change) => findBreakingStatements({ up: async (db) => void (await change(db)) });
const leases = (db: Kysely<unknown>) => db.schema.alterTable('leases');

/** The breaking statements of each migration after the baseline, by its name. */
async function judgeLater(migrations: KnownSchema['migrations']): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [name, migration] of Object.entries(migrations).slice(1)) {
    const statements = await findBreakingStatements(migration);
    if (statements.length > 0) found[name] = statements;
  }
  return found;
}

test('migrations are in the order of their names, and the one that the code needs is among them', () => {
  const names = Object.keys(migrations);
  expect(names).toEqual([...names].sort());
  expect(names).toContain(neededMigration);
});

test('every migration after the baseline only adds, so that a server of the release before runs on its schema', async () => {
  expect(await judgeLater(migrations)).toEqual({});
});

test('a later migration that takes something away would be found by its name', async () => {
  const later = {
    '9001-adds': {
      up: async (db: Kysely<unknown>) => void (await leases(db).addColumn('n', 'text').execute()),
    },
    '9002-drops': {
      up: async (db: Kysely<unknown>) => void (await leases(db).dropColumn('reason').execute()),
    },
  };
  expect(Object.keys(await judgeLater({ ...migrations, ...later }))).toEqual(['9002-drops']);
});

test.each<[string, Change]>([
  ['a dropped column', (db) => leases(db).dropColumn('reason').execute()],
  ['a dropped table', (db) => db.schema.dropTable('marks').execute()],
  ['a dropped index', (db) => db.schema.dropIndex('marks_by_marked_at').execute()],
  ['a renamed column', (db) => leases(db).renameColumn('reason', 'why').execute()],
  ['a renamed table', (db) => leases(db).renameTo('grants').execute()],
  [
    'another type',
    (db) =>
      leases(db)
        .alterColumn('reason', (c) => c.setDataType('integer'))
        .execute(),
  ],
  [
    'a value demanded of a column',
    (db) =>
      leases(db)
        .alterColumn('reason', (c) => c.setNotNull())
        .execute(),
  ],
  [
    'a new column without a default',
    (db) =>
      leases(db)
        .addColumn('n', 'text', (c) => c.notNull())
        .execute(),
  ],
  ['a new constraint', (db) => leases(db).addUniqueConstraint('one', ['viewer_id']).execute()],
  ['a unique index', (db) => db.schema.createIndex('i').on('leases').column('reason').unique().execute()],
  ['deleted rows', (db) => sql`DELETE FROM marks`.execute(db)],
])('%s is found, on both databases', async (_, change) => {
  const found = await judge(change);
  expect(found.map((sentence) => sentence.split(':')[0])).toEqual(['Postgres', 'SQLite']);
});

test.each<[string, Change]>([
  [
    'a new table',
    (db) =>
      db.schema
        .createTable('drop')
        .addColumn('rename', 'text', (c) => c.notNull())
        .execute(),
  ],
  ['a new index', (db) => db.schema.createIndex('i').on('leases').columns(['reason', 'id']).execute()],
  ['a column that may be empty', (db) => leases(db).addColumn('n', 'text').execute()],
  [
    'a column with a default',
    (db) =>
      leases(db)
        .addColumn('n', 'integer', (c) => c.notNull().defaultTo(0))
        .execute(),
  ],
])('%s is no harm', async (_, change) => {
  expect(await judge(change)).toEqual([]);
});
