import { sql } from 'kysely';
import { isPostgres } from './is-postgres.ts';
import type { Database, Transaction } from './open.ts';
import { rowList } from './row-list.ts';
import { SqliteFileAdapter } from './sqlite-dialect.ts';

/**
 * Postgres: serialization_failure and deadlock_detected (appendix A of its manual). Nothing was written, so a retry is
 * safe.
 */
const retryable: ReadonlySet<string> = new Set(['40001', '40P01']);
const usualAttempts = 4;

/**
 * Runs the work in one transaction, and again where Postgres aborted it to resolve a deadlock. The work may run several
 * times.
 *
 * The isolation level is set explicitly, whatever the database's default is: each statement must see the commits made
 * while it waited for its lock. With one snapshot for the whole transaction, a creation that waited for a revocation
 * would miss it.
 *
 * @param codes of the errors after which nothing was written, and a retry may succeed
 */
export async function inTransaction<T>(
  db: Database,
  work: (tx: Transaction) => Promise<T>,
  { attempts = usualAttempts, codes = retryable } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('read committed').execute(work);
    } catch (error) {
      if (attempt >= attempts || !codes.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

/**
 * Same as `inTransaction`, for work that is simply repeated where a power cut undoes it, such as a purge. On SQLite its
 * commit does not wait for the disk. That wait is most of the time of a small transaction, and blocks the process. The
 * next commit that waits makes this one durable too.
 */
export function inUnsyncedTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const { adapter } = db.getExecutor();
  const unsynced = adapter instanceof SqliteFileAdapter ? adapter.unsynced : null;
  return inTransaction(unsynced ?? db, work);
}

/**
 * Makes transactions on the same subject take turns, until the end of the transaction. Needed where a decision depends on
 * rows that do not exist yet. SQLite has one writer at a time anyway.
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
 * Whether this transaction can take the subject's lock now, without waiting for another transaction. On SQLite, which has
 * one writer at a time, it always can.
 */
export async function tryLockSubject(tx: Transaction, subject: string): Promise<boolean> {
  const [isLocked] = await tryLockSubjects(tx, [{ subject, mode: 'exclusive' }]);
  return isLocked === true;
}

/** A subject, and how it is locked. */
export interface SubjectLock {
  subject: string;
  mode: 'shared' | 'exclusive';
}

/**
 * As `tryLockSubject`, for many subjects in one statement. A transaction that only takes locks in this way never waits for
 * another one, so two of them cannot wait for each other, in whatever order they lock.
 *
 * @returns whether each was locked, in their order
 */
export async function tryLockSubjects(tx: Transaction, locks: readonly SubjectLock[]): Promise<boolean[]> {
  if (!isPostgres(tx)) return locks.map(() => true);
  const { rows } = await sql<{ locked: boolean; place: number }>`
    select given.place, case given.mode
        when 'shared' then pg_try_advisory_xact_lock_shared(hashtextextended(given.subject, 0))
        else pg_try_advisory_xact_lock(hashtextextended(given.subject, 0))
      end as locked
    from ${rowList(tx, { subject: 'text', mode: 'text' }, locks)} as given`.execute(tx);
  const locked = new Set(rows.filter((row) => row.locked).map(({ place }) => place));
  return locks.map((_, place) => locked.has(place));
}
