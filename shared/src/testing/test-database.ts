import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Database, migrate, openDatabase } from '../db/index.ts';
import { openPostgresPool } from '../db/postgres-pool.ts';
import type { Schema } from '../db/schema.ts';

export interface TestDatabase {
  db: Database;
  close(): Promise<void>;
}

export interface DatabaseKind {
  name: 'SQLite' | 'Postgres';
  /** A database of its own for one test, migrated and empty. */
  open(): Promise<TestDatabase>;
}

/**
 * The databases on which every store proves the same contract: SQLite always, Postgres where `TEST_POSTGRES_URL` names
 * one. Each test there gets a schema of its own, which is dropped at the end.
 */
export function databaseKinds(env: Record<string, string | undefined>): DatabaseKind[] {
  const kinds: DatabaseKind[] = [{ name: 'SQLite', open: openSqliteInMemory }];
  const url = env.TEST_POSTGRES_URL;
  if (url) kinds.push({ name: 'Postgres', open: () => openPostgresSchema(url) });
  return kinds;
}

async function openSqliteInMemory(): Promise<TestDatabase> {
  const db = openDatabase({ sqlitePath: ':memory:' });
  await migrate(db);
  return { db, close: () => db.destroy() };
}

async function openPostgresSchema(url: string): Promise<TestDatabase> {
  const schema = `test_${process.pid}_${performance.now().toString().replace('.', '_')}`;
  const admin = openDatabase({ databaseUrl: url, sqlitePath: '' });
  await sql`create schema ${sql.id(schema)}`.execute(admin);
  const scoped = new URL(url);
  scoped.searchParams.set('options', `-c search_path=${schema}`);
  const pool = openPostgresPool(scoped.toString(), () => {});
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  await migrate(db);
  return {
    db,
    async close() {
      await db.destroy();
      await sql`drop schema ${sql.id(schema)} cascade`.execute(admin);
      await admin.destroy();
    },
  };
}
