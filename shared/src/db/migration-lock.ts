import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The number of Kysely's own lock, so that releases which take that one wait for ours. */
const lockId = 3853314791062309107n;

/**
 * Locks migrations until the transaction ends. Kysely's own lock belongs to the session: behind a pooler that gives each transaction another
 * session, it would never be released. `migrate` runs each migration in a transaction with its lock.
 */
export class MigrationLockAdapter extends PostgresAdapter {
  // biome-ignore lint/suspicious/noExplicitAny: the type of the base class
  override async acquireMigrationLock(db: Kysely<any>): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(db);
  }

  override async releaseMigrationLock(): Promise<void> {}
}
