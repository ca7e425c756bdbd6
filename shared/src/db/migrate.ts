import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import type { Database } from './open.ts';

async function migratorOf(db: Database): Promise<Migrator> {
  const migrationTableSchema = await currentSchema(db);
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    ...(migrationTableSchema === null ? {} : { migrationTableSchema }),
  });
}

/** Where Postgres makes our tables. Unless it is told, the migrator takes another schema's table of migrations for ours. */
async function currentSchema(db: Database): Promise<string | null> {
  // Of the two dialects only Postgres has it.
  if (db.getExecutor().adapter.supportsTransactionalDdl !== true) return null;
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? null;
}

/**
 * Brings the database to this code's schema. Safe when several run it at once, and when run again.
 *
 * @returns the names of the migrations that were applied now
 * @throws the error of the migration that failed
 */
export async function migrate(db: Database): Promise<string[]> {
  const { error, results } = await (await migratorOf(db)).migrateToLatest();
  // Two processes that begin at once on SQLite: one does it, the other finds it done while it tries.
  if (error && (await pendingMigrations(db)).length > 0) throw error;
  return (results ?? [])
    .filter((result) => result.status === 'Success')
    .map((result) => result.migrationName);
}

/** How far a database has been migrated. */
export interface MigrationState {
  /** The last migration that it has seen; null for an empty one. */
  version: string | null;
  /** The names of those that it has not seen. */
  pending: string[];
}

export async function readMigrationState(db: Database): Promise<MigrationState> {
  const all = await (await migratorOf(db)).getMigrations();
  const seen = all.filter((migration) => migration.executedAt);
  return {
    version: seen.at(-1)?.name ?? null,
    pending: all.filter((migration) => !migration.executedAt).map((migration) => migration.name),
  };
}

/** The names of the migrations that the database has not seen. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  return (await readMigrationState(db)).pending;
}
