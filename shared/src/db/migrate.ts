import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import type { Database } from './open.ts';

function migratorOf(db: Database): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}

/**
 * Brings the database to this code's schema. Safe when several run it at once, and when run again.
 *
 * @returns the names of the migrations that were applied now
 * @throws the error of the migration that failed
 */
export async function migrate(db: Database): Promise<string[]> {
  const { error, results } = await migratorOf(db).migrateToLatest();
  // Two processes that begin at once on SQLite: one does it, the other finds it done while it tries.
  if (error && (await pendingMigrations(db)).length > 0) throw error;
  return (results ?? [])
    .filter((result) => result.status === 'Success')
    .map((result) => result.migrationName);
}

/** The names of the migrations that the database has not seen. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const all = await migratorOf(db).getMigrations();
  return all.filter((migration) => !migration.executedAt).map((migration) => migration.name);
}
