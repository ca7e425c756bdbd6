import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { migrations, neededMigration } from './migrations/index.ts';
import type { Database } from './open.ts';
import { repeatGrants } from './roles/index.ts';

/** What one release knows of the schema. */
export interface KnownSchema {
  /** By their names, which sort in the order in which they are applied. */
  migrations: Readonly<Record<string, Migration>>;
  /** The code runs on a database that has seen this one, and those before it. */
  needed: string;
}

const ownSchema: KnownSchema = { migrations, needed: neededMigration };

async function migratorOf(db: Database, known: KnownSchema): Promise<Migrator> {
  const migrationTableSchema = await currentSchema(db);
  return new Migrator({
    db,
    provider: { getMigrations: async () => withGrants(known.migrations) },
    ...(migrationTableSchema === null ? {} : { migrationTableSchema }),
  });
}

/** Each migration gives the roles of the services what it adds, in its own transaction: no service lacks a right in between. */
function withGrants(migrations: KnownSchema['migrations']): Record<string, Migration> {
  const granting = ({ up }: Migration): Migration => ({
    async up(db) {
      await up(db);
      await repeatGrants(db);
    },
  });
  return Object.fromEntries(Object.entries(migrations).map(([name, each]) => [name, granting(each)]));
}

/** Where Postgres makes our tables. Unless it is told, the migrator takes another schema's table of migrations for ours. */
async function currentSchema(db: Database): Promise<string | null> {
  // Of the two dialects only Postgres has it.
  if (db.getExecutor().adapter.supportsTransactionalDdl !== true) return null;
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? null;
}

/**
 * Brings the database to this code's schema. Safe when several run it at once, and when run again. A database that is
 * newer than this code is left as it is.
 *
 * @returns the names of the migrations that were applied now
 * @throws the error of the migration that failed
 */
export async function migrate(db: Database, known = ownSchema): Promise<string[]> {
  const { unknown, pending } = await readMigrationState(db, known);
  if (unknown.length > 0) {
    if (pending.length === 0) return [];
    throw new Error(
      `the database has seen ${unknown.join(', ')}, which this version does not know, but not ${pending.join(', ')}`,
    );
  }
  const applied: string[] = [];
  for (let before = pending.length; ; ) {
    const { error, results = [] } = await (await migratorOf(db, known)).migrateToLatest();
    const done = results.filter(({ status }) => status === 'Success').map((result) => result.migrationName);
    applied.push(...done);
    const left = error ? (await readMigrationState(db, known)).pending.length : 0;
    if (left === 0) return applied;
    // Two processes that begin at once on SQLite, which takes no lock for it: each finds some done by the other while it
    // tries, and then goes on with the rest. Where nobody else has done anything, the error is one of its own.
    if (left >= before - done.length) throw error;
    before = left;
  }
}

/** How far a database has been migrated. Names are in the order of the migrations. */
export interface MigrationState {
  /** The last migration that it has seen, whether this code knows it or not; null for an empty one. */
  version: string | null;
  /** Those that it has not seen. */
  pending: string[];
  /** Those of the pending ones without which this code does not run. */
  missing: string[];
  /** Those that it has seen and this code does not know: a newer release migrated it. */
  unknown: string[];
}

export async function readMigrationState(db: Database, known = ownSchema): Promise<MigrationState> {
  const all = await (await migratorOf(db, known)).getMigrations();
  const pending = all.filter(({ executedAt }) => !executedAt).map(({ name }) => name);
  // The table of migrations is there once one of ours is.
  const seen = pending.length < all.length ? await readSeen(db) : [];
  return {
    version: seen.at(-1) ?? null,
    pending,
    missing: pending.filter((name) => name <= known.needed),
    unknown: seen.filter((name) => !Object.hasOwn(known.migrations, name)),
  };
}

async function readSeen(db: Database): Promise<string[]> {
  const schema = await currentSchema(db);
  const table = schema === null ? sql.id(DEFAULT_MIGRATION_TABLE) : sql.id(schema, DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ name: string }>`select name from ${table}`.execute(db);
  return rows.map(({ name }) => name).sort();
}
