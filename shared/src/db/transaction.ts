import { sql } from 'kysely';
import type { Database, Transaction } from './open.ts';
import { SqliteFileAdapter } from './sqlite-dialect.ts';

/** Postgres: serialization_failure and deadlock_detected (appendix A of its manual). Nothing was written; try again. */
const retryable = new Set(['40001', '40P01']);
const attempts = 4;

/**
 * Runs the work in one transaction, again where Postgres broke it off to resolve a deadlock. The work may run several times.
 *
 * The isolation level is named, whatever the database's default is: each statement has to see what was committed while it
 * waited for its lock. From one snapshot for the whole transaction, a creation that waited for a revocation would miss it.
 */
export async function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('read committed').execute(work);
    } catch (error) {
      if (attempt >= attempts || !retryable.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

/**
 * As `inTransaction`, for work that is simply done again where a power cut undoes it, such as a purge. On SQLite its commit does not
 * wait for the disk. That is most of the time of a small transaction, in which the process answers nobody. The next commit that
 * waits makes this one lasting too.
 */
export function inUnsyncedTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const { adapter } = db.getExecutor();
  const unsynced = adapter instanceof SqliteFileAdapter ? adapter.unsynced : null;
  return inTransaction(unsynced ?? db, work);
}

/**
 * Makes transactions that name the same subject take turns, until the end of the transaction. Needed where a decision
 * rests on rows that do not exist yet. SQLite has one writer at a time anyway.
 *
 * Always lock in one order (viewers before contents), or two transactions can wait for each other.
 */
export async function lockSubject(
  tx: Transaction,
  subject: string,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  if (!isPostgres(tx)) return;
  const lock = mode === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await sql`select ${lock}(hashtextextended(${subject}, 0))`.execute(tx);
}

/**
 * Whether this transaction may be the only one that works on the subject now, without waiting for another one that does.
 * On SQLite, which has one writer at a time, it always may.
 */
export async function tryLockSubject(tx: Transaction, subject: string): Promise<boolean> {
  if (!isPostgres(tx)) return true;
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${subject}, 0)) as locked`.execute(tx);
  return rows[0]?.locked === true;
}

function isPostgres(tx: Transaction): boolean {
  // Of the two dialects only Postgres has it.
  return tx.getExecutor().adapter.supportsTransactionalDdl === true;
}
