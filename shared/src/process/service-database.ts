import type { Clock } from '../clock/index.ts';
import { createDatabaseProbe, type Database, type DatabasePlace, openDatabase } from '../db/index.ts';
import { Degraded, type Dependency, type Shutdown } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';
import type { SchemaCheck } from './check-schema.ts';

/**
 * A read is below the 2 s of a whole readiness check. A hanging write is reported after 600 ms, because the gateway waits
 * 900 ms: without an answer by then, it would show every service as down, where only the database is degraded.
 */
const probeLimits = { readMs: 1_500, writeMs: 600 };

/** Opens the database of a service; it is closed with the process. No statement is sent yet. */
export function openServiceDatabase(
  values: DatabasePlace,
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

/**
 * The `/ready` check of a database: it can be read, and this code runs on its schema. A database that takes no writes is
 * degraded: known states are still served.
 */
export function databaseDependencies(db: Database, clock: Clock, checkSchema: SchemaCheck): Dependency[] {
  const probe = createDatabaseProbe(db, probeLimits);
  return [
    {
      name: 'database',
      check: async () => {
        const { writeFault } = await probe(clock.now());
        if (writeFault === null) return undefined;
        throw new Degraded(
          'the database takes no writes: keys are served, changes are answered 503',
          { writes: false },
          { cause: writeFault },
        );
      },
    },
    { name: 'migrations', check: checkSchema },
  ];
}
