import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The number of Kysely's own lock, so that releases which take that one wait for ours. */
const lockId = 3853314791062309107n;

/** Makes processes that migrate a Postgres take turns, until the end of the transaction. */
export async function lockMigrations<DB>(tx: Kysely<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(tx);
}

/**
 * Takes `lockMigrations` in place of Kysely's own lock, which belongs to the session: behind a pooler that gives each
 * transaction another session, it would never be released.
 */
export class MigrationLockAdapter extends PostgresAdapter {
  // biome-ignore lint/suspicious/noExplicitAny: the type of the base class
  override acquireMigrationLock(db: Kysely<any>): Promise<void> {
    return lockMigrations(db);
  }

  override async releaseMigrationLock(): Promise<void> {}
}
