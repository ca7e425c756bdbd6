import type { Clock } from '../clock/index.ts';
import { type Database, openDatabase, probeDatabase, readMigrationState } from '../db/index.ts';
import type { Dependency, Shutdown } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';

/** Under the 2 s that a whole readiness check may take. */
const probeTimeoutMs = 1_500;

/** Opens the database of a service; it is closed with the process. Nothing is asked of it yet. */
export function openServiceDatabase(
  values: { databaseUrl?: { reveal(): string } | undefined; sqlitePath: string },
  { log, shutdown }: { log: OperatorLog; shutdown: Shutdown },
): Database {
  const db = openDatabase({
    databaseUrl: values.databaseUrl?.reveal(),
    sqlitePath: values.sqlitePath,
    onConnectionFault: (error) => log.warn('a database connection broke', { error }),
  });
  shutdown.add('the database', 2_000, () => db.destroy());
  return db;
}

/** What `/ready` asks of a database: that it takes writes, and that its schema is this code's or newer. */
export function databaseDependencies(db: Database, clock: Clock): Dependency[] {
  return [
    {
      name: 'database',
      check: async () => {
        await probeDatabase(db, clock.now(), probeTimeoutMs);
        return undefined;
      },
    },
    { name: 'migrations', check: () => checkMigrated(db) },
  ];
}

/**
 * @returns the last migration that the database has seen
 * @throws Error naming the migrations that are pending
 */
export async function checkMigrated(db: Database): Promise<{ version: string | null }> {
  const { version, pending } = await readMigrationState(db);
  if (pending.length > 0) throw new Error(`pending: ${pending.join(', ')}`);
  return { version };
}
