import { sql } from 'kysely';
import { type Database, migrate, openDatabase } from '../db/index.ts';
import { createOwnPostgres } from './own-postgres.ts';

export interface TestDatabase {
  db: Database;
  close(): Promise<void>;
}

export interface DatabaseKind {
  name: 'SQLite' | 'Postgres';
  /** A separate database for one test, migrated and empty. */
  open(): Promise<TestDatabase>;
}

/**
 * The databases on which every store is tested: SQLite always, Postgres where `TEST_POSTGRES_URL` names one (as a role
 * that may create databases). Each test gets a separate Postgres database, which is dropped at the end.
 */
export function databaseKinds(env: Record<string, string | undefined>): DatabaseKind[] {
  const kinds: DatabaseKind[] = [{ name: 'SQLite', open: createSqliteOpener() }];
  const { TEST_POSTGRES_URL: url, TEST_POSTGRES_TEMPLATE: template } = env;
  if (!url) return kinds;
  // Without it these tests would say nothing of Postgres.
  if (!template) throw new Error('TEST_POSTGRES_URL needs the template of migrated-template.setup.ts');
  kinds.push({ name: 'Postgres', open: () => openPostgresDatabase(url, template) });
  return kinds;
}

/** Opens databases in memory with the schema of the first one, whose migrations take longer than most tests. */
function createSqliteOpener(): () => Promise<TestDatabase> {
  let schema: ReturnType<typeof readSchema> | undefined;
  return async () => {
    const db = openDatabase({ sqlitePath: ':memory:' });
    schema ??= readSchema();
    const { statements, rows } = await schema;
    for (const statement of statements) await sql.raw(statement).execute(db);
    for (const [table, its] of rows) await db.insertInto(table).values(its).execute();
    return { db, close: () => db.destroy() };
  };
}

/** The statements that make the migrated schema, and its rows by table. */
async function readSchema() {
  const db = openDatabase({ sqlitePath: ':memory:' });
  await migrate(db);
  const made = await sql<{ type: string; name: string; statement: string }>`
    select type, name, sql as statement from sqlite_schema
    where sql is not null and name not like 'sqlite_%' order by rowid`.execute(db);
  const rows: [table: never, rows: never][] = [];
  for (const { type, name } of made.rows) {
    if (type !== 'table') continue;
    const its = await db
      .selectFrom(name as never)
      .selectAll()
      .execute();
    if (its.length > 0) rows.push([name as never, its as never]);
  }
  await db.destroy();
  return { statements: made.rows.map(({ statement }) => statement), rows };
}

async function openPostgresDatabase(url: string, template: string): Promise<TestDatabase> {
  // A database and not a schema: advisory locks and the catalog that the migrator reads are shared within a database.
  const own = await createOwnPostgres(url, template);
  const db = own.open({ longStatements: true });
  return {
    db,
    async close() {
      await db.destroy();
      await own.close();
    },
  };
}
