// The part of this folder that needs the database. Key-derivation has none, and its image carries no driver.

import { randomUUID } from 'node:crypto';
import { createRefusalLog } from '../audit/index.ts';
import { type Database, type DatabasePlace, nameDatabase, openDatabase, type Schema } from '../db/index.ts';
import type { Bus, ChangeFeed } from '../events/index.ts';
import { createDatabaseFeed, createLedger } from '../events/rows.ts';
import type { RouteOptions } from '../http/index.ts';
import type { Shutdown } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';
import { type BusSettings, connectBus } from './connect-bus.ts';
import { connectStateStore, type Sharing, type StateStoreSettings } from './connect-state-store.ts';
import { createSchemaCheck, databaseDependencies, type SchemaCheck } from './database-readiness.ts';
import type { ProcessBase } from './process-context.ts';
import type { ServiceCore } from './service-core.ts';

/** `SQLITE_PATH` is a variable of the single node alone. */
type RowSettings = Partial<DatabasePlace> & BusSettings & StateStoreSettings;

/** Where a process keeps its rows, and by which ways a change of them reaches the others. */
export interface Rows {
  db: Database;
  /** Must succeed before requests are answered. */
  checkSchema: SchemaCheck;
  feed: ChangeFeed;
  bus: Bus;
  sharing: Sharing | null;
}

/** Opens the database, the bus and the shared cache of a process. `/ready` checks them, and they are closed with the process. */
export function openRows(name: string, values: RowSettings, base: ProcessBase): Rows {
  const place = { databaseUrl: values.databaseUrl, sqlitePath: values.sqlitePath ?? '' };
  const db = openServiceDatabase(place, base);
  const checkSchema = createSchemaCheck(db, nameDatabase(place), base.log);
  base.dependencies.push(...databaseDependencies(db, base.clock, checkSchema));
  return {
    db,
    checkSchema,
    feed: createDatabaseFeed(db),
    bus: connectBus(name, values, base),
    sharing: connectStateStore(values, base),
  };
}

/** Opens the database of a service; it is closed with the process. No statement is sent yet. */
function openServiceDatabase(
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

/** `ServiceCore` for a service that owns rows. `DB` is the tables that it may use. */
export interface RowCore<Values, DB = Schema> extends ServiceCore<Values>, RouteOptions<DB> {}

export function addRows<Values>(core: ServiceCore<Values>, db: Database): RowCore<Values> {
  const { bus, clock, warn } = core;
  return {
    ...core,
    db,
    ledger: createLedger({ db, bus, clock }),
    randomId: randomUUID,
    refusals: createRefusalLog(db, clock, (error) => warn('refusals could not be recorded', error)),
  };
}
