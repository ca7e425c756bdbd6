import type { Compilable } from 'kysely';
import type { Database, Transaction } from './open.ts';
import { SqliteFileAdapter } from './sqlite-dialect.ts';

/**
 * Whether a long read blocks the whole process and `readAside` avoids that: SQLite in a file, outside of a transaction.
 */
export function hasReadAside(db: Database | Transaction): boolean {
  return asideOf(db) !== null;
}

/**
 * Reads without blocking the process. On SQLite a separate thread reads, and sees every earlier commit. Postgres is a
 * separate process anyway. A read in a transaction, or of a database in memory, runs on the connection itself.
 */
export async function readAside<R>(db: Database | Transaction, query: Compilable<R>): Promise<R[]> {
  const compiled = query.compile();
  const aside = asideOf(db);
  if (aside === null) return (await db.executeQuery(compiled)).rows;
  return (await aside.read(compiled.sql, compiled.parameters)) as R[];
}

function asideOf(db: Database | Transaction) {
  const { adapter } = db.getExecutor();
  return !db.isTransaction && adapter instanceof SqliteFileAdapter
    ? (adapter.background?.aside ?? null)
    : null;
}
