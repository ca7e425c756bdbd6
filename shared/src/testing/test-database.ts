import { sql } from 'kysely';
import { type Database, migrate, openDatabase } from '../db/index.ts';

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
  const kinds: DatabaseKind[] = [{ name: 'SQLite', open: openSqliteInMemory }];
  const { TEST_POSTGRES_URL: url, TEST_POSTGRES_TEMPLATE: template } = env;
  if (!url) return kinds;
  // Without it these tests would say nothing of Postgres.
  if (!template) throw new Error('TEST_POSTGRES_URL needs the template of migrated-template.setup.ts');
  kinds.push({ name: 'Postgres', open: () => copyPostgresDatabase(url, template) });
  return kinds;
}

async function openSqliteInMemory(): Promise<TestDatabase> {
  const db = openDatabase({ sqlitePath: ':memory:' });
  await migrate(db);
  return { db, close: () => db.destroy() };
}

/** Tests do not check how soon Postgres answers, and all that run at once share it. */
function openPatiently(databaseUrl: string, database?: string): Database {
  const url = new URL(databaseUrl);
  if (database !== undefined) url.pathname = `/${database}`;
  return openDatabase({
    ...{ databaseUrl: url.toString(), sqlitePath: '' },
    ...{ longStatements: true, connectionTimeoutMs: 60_000 },
  });
}

/** A migrated and empty database: copying it takes a third of the time that migrating another one takes. */
export async function makePostgresTemplate(url: string): Promise<{ name: string; drop(): Promise<void> }> {
  const name = `test_template_${process.pid}_${Math.trunc(performance.timeOrigin)}`;
  const admin = openPatiently(url);
  await sql`create database ${sql.id(name)} template template0`.execute(admin);
  const db = openPatiently(url, name);
  await migrate(db);
  await db.destroy();
  return {
    name,
    async drop() {
      await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
      await admin.destroy();
    },
  };
}

async function copyPostgresDatabase(url: string, template: string): Promise<TestDatabase> {
  const name = `test_${process.pid}_${performance.now().toString().replace('.', '_')}`;
  const admin = openPatiently(url);
  // A database and not a schema: advisory locks and the catalog that the migrator reads are shared within a database.
  await sql`create database ${sql.id(name)} template ${sql.id(template)}`.execute(admin);
  const db = openPatiently(url, name);
  return {
    db,
    async close() {
      await db.destroy();
      await backendsEnded(admin, name);
      await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
      await admin.destroy();
    },
  };
}

/** A backend ends a moment after its client has left. If it is still there, dropping its database takes 100 ms more. */
async function backendsEnded(admin: Database, database: string): Promise<void> {
  const query = sql`select 1 from pg_stat_activity where datname = ${database}`;
  // A test may leave a connection behind, which the drop ends.
  for (let tries = 0; tries < 20; tries++) if ((await query.execute(admin)).rows.length === 0) return;
}
