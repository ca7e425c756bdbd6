import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { isPostgres } from './is-postgres.ts';
import { lockMigrations } from './migration-lock.ts';
import { baseline } from './migrations/0001-baseline.ts';
import { additions } from './migrations/additions.ts';
import type { Database, Transaction } from './open.ts';
import { repeatGrants } from './roles/index.ts';
import { inTransaction } from './transaction.ts';
import { refuseUnreleased } from './unreleased-schema.ts';

/** In order of their names. A migration that was released is never edited. */
export const migrations: Record<string, Migration> = { '0001-baseline': baseline, ...additions };

/** The last migration without which this code does not run; later ones may be pending. Move it together with the code that needs a later one. */
export const neededMigration = '0007-audit-person';

/** The schema as one release knows it. */
export interface KnownSchema {
  /** By their names, which sort in the order in which they are applied. */
  migrations: Readonly<Record<string, Migration>>;
  /** The code runs on a database that has this migration and those before it. */
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

/**
 * The schema in which Postgres makes our tables. Without it, the migrator takes another schema's table of migrations for
 * ours.
 */
async function currentSchema(db: Database): Promise<string | null> {
  if (!isPostgres(db)) return null;
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? null;
}

/**
 * Brings the database to this code's schema. Several processes may run it at once, and repeatedly. A database that is
 * newer than this code is left unchanged.
 *
 * @returns the names of the migrations that were applied now
 * @throws UnreleasedSchema, and the error of the migration that failed
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
  // Each in a transaction of its own: services write meanwhile, and one transaction with the locks of all would hold up those
  // that use the same tables in another order.
  for (const _ of pending)
    applied.push(...(await inTransaction(db, (tx) => applyNext(tx, known), { attempts })));
  return applied;
}

/**
 * Where a migration and a service wait for each other, Postgres ends one of the two after a second, and the other one goes on.
 * More of them are not chance.
 */
const attempts = 20;

/** @returns the name of the migration; empty if another process has applied the last one meanwhile */
async function applyNext(tx: Transaction, known: KnownSchema): Promise<string[]> {
  // Kysely would take it only after it has made its own tables, and two processes that make them at once fail.
  if (isPostgres(tx)) await lockMigrations(tx);
  const { error, results = [] } = await (await migratorOf(tx, known)).migrateUp();
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}

export type MigrationState = Awaited<ReturnType<typeof readMigrationState>>;

/**
 * How far a database has been migrated. Names are in the order of the migrations.
 *
 * @throws UnreleasedSchema, and the database's errors
 */
export async function readMigrationState(db: Database, known = ownSchema) {
  const seen = await readSeen(db);
  refuseUnreleased(seen);
  const pending = Object.keys(known.migrations).filter((name) => !seen.includes(name));
  return {
    /** The last migration applied, whether this code knows it or not; null for an empty database. */
    version: seen.at(-1) ?? null,
    /** Migrations that are not applied. */
    pending,
    /** Pending migrations without which this code does not run. */
    missing: pending.filter((name) => name <= known.needed),
    /** Applied migrations that this code does not know: a newer release migrated the database. */
    unknown: seen.filter((name) => !Object.hasOwn(known.migrations, name)),
  };
}

/** @returns the names of the migrations that were applied */
async function readSeen(db: Database): Promise<string[]> {
  const table = DEFAULT_MIGRATION_TABLE;
  // Another schema's table of migrations is not ours. Kysely's introspection would read each column of each table, and `/ready` waits for it.
  const found = isPostgres(db)
    ? sql`select 1 from pg_tables where schemaname = current_schema() and tablename = ${table}`
    : sql`select 1 from sqlite_master where name = ${table}`;
  if ((await found.execute(db)).rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.id(table)}`.execute(db);
  return rows.map(({ name }) => name).sort();
}
