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
  const kinds: DatabaseKind[] = [{ name: 'SQLite', open: openSqliteInMemory }];
  const url = env.TEST_POSTGRES_URL;
  if (url) kinds.push({ name: 'Postgres', open: () => openPostgresDatabase(url) });
  return kinds;
}

async function openSqliteInMemory(): Promise<TestDatabase> {
  const db = openDatabase({ sqlitePath: ':memory:' });
  await migrate(db);
  return { db, close: () => db.destroy() };
}

async function openPostgresDatabase(url: string): Promise<TestDatabase> {
  // A database and not a schema: advisory locks and the catalog that the migrator reads are shared within a database.
  const { databaseUrl, close } = await createOwnPostgres(url, true);
  // Tests do not check how soon Postgres answers, and all that run at once share it.
  const db = openDatabase({ databaseUrl, sqlitePath: '', longStatements: true, connectionTimeoutMs: 60_000 });
  return {
    db,
    async close() {
      await db.destroy();
      await close();
    },
  };
}
