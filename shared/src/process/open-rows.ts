import { type Database, type DatabasePlace, nameDatabase } from '../db/index.ts';
import type { Bus, ChangeFeed } from '../events/index.ts';
import { createDatabaseFeed } from '../events/rows.ts';
import { createSchemaCheck, type SchemaCheck } from './check-schema.ts';
import { type BusSettings, connectBus } from './connect-bus.ts';
import { connectStateStore, type Sharing, type StateStoreSettings } from './connect-state-store.ts';
import type { ProcessBase } from './process-context.ts';
import { databaseDependencies, openServiceDatabase } from './service-database.ts';

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
