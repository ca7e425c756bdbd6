import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, type MigrationResultSet, Migrator } from 'kysely/migration';
import { isPostgres } from './is-postgres.ts';
import { initial } from './migrations/0001-initial.ts';
import { listIndexes } from './migrations/0002-list-indexes.ts';
import { feedHistory } from './migrations/0003-feed-history.ts';
import { revocations } from './migrations/0004-revocations.ts';
import { audit } from './migrations/0005-audit.ts';
import { keyPeriods } from './migrations/0006-key-periods.ts';
import { sessions } from './migrations/0007-sessions.ts';
import { auditChain } from './migrations/0008-audit-chain.ts';
import { importedKeys } from './migrations/0009-imported-keys.ts';
import { viewers } from './migrations/0010-viewers.ts';
import { auditDetails } from './migrations/0011-audit-details.ts';
import { webhooks } from './migrations/0012-webhooks.ts';
import { usage } from './migrations/0013-usage.ts';
import { listOrders } from './migrations/0014-list-orders.ts';
import { contentRegistrant } from './migrations/0015-content-registrant.ts';
import { leaseLookups } from './migrations/0016-lease-lookups.ts';
import { purgeClock } from './migrations/0017-purge-clock.ts';
import { auditReaders } from './migrations/0018-audit-readers.ts';
import type { Database } from './open.ts';
import { repeatGrants } from './roles/index.ts';

/** In order of their names. A migration that was released is never edited. */
export const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-list-indexes': listIndexes,
  '0003-feed-history': feedHistory,
  '0004-revocations': revocations,
  '0005-audit': audit,
  '0006-key-periods': keyPeriods,
  '0007-sessions': sessions,
  '0008-audit-chain': auditChain,
  '0009-imported-keys': importedKeys,
  '0010-viewers': viewers,
  '0011-audit-details': auditDetails,
  '0012-webhooks': webhooks,
  '0013-usage': usage,
  '0014-list-orders': listOrders,
  '0015-content-registrant': contentRegistrant,
  '0016-lease-lookups': leaseLookups,
  '0017-purge-clock': purgeClock,
  '0018-audit-readers': auditReaders,
};

/** The last migration without which this code does not run; later ones may be pending. Move it together with the code that needs a later one. */
export const neededMigration = '0018-audit-readers';

/**
 * Migrations that remove something, by name. Each has the first release whose code did without the removed part: a
 * release before the migration's own.
 */
export const contractions: Readonly<Record<string, string>> = {
  // The chain of the audit and the progress of webhooks along it: no release had them.
  '0018-audit-readers': '0.2.0',
};

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
  let deadlocks = 0;
  for (let left = pending.length; left > 0; ) {
    // One at a time, each in a transaction of its own on Postgres: services write meanwhile, and one transaction with the
    // locks of all would hold up those that use the same tables in another order.
    const { error, results = [] } = await migrateOne(db, known);
    const done = results.filter(({ status }) => status === 'Success').map((result) => result.migrationName);
    applied.push(...done);
    const before = left - done.length;
    left = (await readMigrationState(db, known)).pending.length;
    // Two processes may begin at once on SQLite, which takes no lock for migrations. Each finds that the other has
    // applied some of them, and continues with the rest. Where no other process applied any, the error is this process's
    // own.
    if (!error || left < before) continue;
    if (!isDeadlock(error) || ++deadlocks >= mostDeadlocks) throw error;
  }
  return applied;
}

/** On Postgres in one transaction with the lock: see `MigrationLockAdapter`. */
async function migrateOne(db: Database, known: KnownSchema): Promise<MigrationResultSet> {
  if (!isPostgres(db)) return (await migratorOf(db, known)).migrateUp();
  let result: MigrationResultSet = {};
  try {
    await db.transaction().execute(async (tx) => {
      result = await (await migratorOf(tx, known)).migrateUp();
      if (result.error) throw result.error;
    });
    return result;
  } catch (error) {
    return { error };
  }
}

/** Each ends one of the two transactions after a second, and the other one goes on. More of them are no chance. */
const mostDeadlocks = 20;

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: `deadlock_detected`. Nothing was changed. */
function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '40P01';
}

/** How far a database has been migrated. Names are in the order of the migrations. */
export interface MigrationState {
  /** The last migration applied, whether this code knows it or not; null for an empty database. */
  version: string | null;
  /** Migrations that are not applied. */
  pending: string[];
  /** Pending migrations without which this code does not run. */
  missing: string[];
  /** Applied migrations that this code does not know: a newer release migrated the database. */
  unknown: string[];
}

export async function readMigrationState(db: Database, known = ownSchema): Promise<MigrationState> {
  const all = await (await migratorOf(db, known)).getMigrations();
  const pending = all.filter(({ executedAt }) => !executedAt).map(({ name }) => name);
  // The table of migrations exists once one of our tables does.
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
