import type { Clock } from '../clock/index.ts';
import { type Database, type DatabasePlace, openDatabase, probeDatabase } from '../db/index.ts';
import type { Dependency, Shutdown } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';
import type { SchemaCheck } from './check-schema.ts';

/** Under the 2 s that a whole readiness check may take. */
const probeTimeoutMs = 1_500;

/** Opens the database of a service; it is closed with the process. Nothing is asked of it yet. */
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

/** What `/ready` asks of a database: that it takes writes, and that its schema is one that this code runs on. */
export function databaseDependencies(db: Database, clock: Clock, checkSchema: SchemaCheck): Dependency[] {
  return [
    {
      name: 'database',
      check: async () => {
        await probeDatabase(db, clock.now(), probeTimeoutMs);
        return undefined;
      },
    },
    { name: 'migrations', check: checkSchema },
  ];
}
