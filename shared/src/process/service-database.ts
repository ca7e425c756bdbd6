import type { Clock } from '../clock/index.ts';
import { createDatabaseProbe, type Database, type DatabasePlace, openDatabase } from '../db/index.ts';
import type { FeedFollower } from '../events/index.ts';
import { Degraded, type Dependency, type Shutdown } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';
import type { SchemaCheck } from './check-schema.ts';

/**
 * A read is under the 2 s that a whole readiness check may take. A write that hangs is told before the gateway stops listening,
 * after 900 ms: else it would show every service as down, where only the database is degraded.
 */
const probeLimits = { readMs: 1_500, writeMs: 600 };

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

/**
 * What `/ready` asks of a database: that it can be read and that its schema is one that this code runs on. One that takes no
 * writes is degraded: what is known goes on being served.
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

/**
 * Whether this process knows what has changed: without that, no state is known and no key is served, however well the
 * process is.
 */
export function feedDependency(follower: FeedFollower): Dependency {
  return {
    name: 'feed',
    // A service that has lost it is of use for what needs no cached state, and is asked again by itself.
    optional: true,
    check: async () => {
      const ageMs = follower.ageMs();
      if (ageMs === null || ageMs > follower.limitMs)
        throw new Error(ageMs === null ? 'not read yet' : 'not read within the limit');
      return undefined;
    },
  };
}
