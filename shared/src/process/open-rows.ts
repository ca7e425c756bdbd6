import { type Database, nameDatabase } from '../db/index.ts';
import { type Bus, type ChangeFeed, createDatabaseFeed } from '../events/index.ts';
import { createSchemaCheck, type SchemaCheck } from './check-schema.ts';
import { type BusSettings, connectBus } from './connect-bus.ts';
import { connectStateStore, type Sharing, type StateStoreSettings } from './connect-state-store.ts';
import type { ServiceContext } from './run-service.ts';
import { databaseDependencies, openServiceDatabase } from './service-database.ts';

interface Places extends BusSettings, StateStoreSettings {
  databaseUrl: { reveal(): string };
}

/** Where a service keeps its rows, and by which ways a change of them reaches the others. */
export interface Rows {
  db: Database;
  /** To succeed before requests are answered. */
  checkSchema: SchemaCheck;
  feed: ChangeFeed;
  bus: Bus;
  sharing: Sharing | null;
}

/** Opens what a service that owns rows stands on; it is closed with the process, and `/ready` asks for it. */
export function openRows(
  name: string,
  values: Places,
  context: Pick<ServiceContext<never>, 'clock' | 'log' | 'shutdown' | 'dependencies'>,
): Rows {
  const place = { databaseUrl: values.databaseUrl, sqlitePath: '' };
  const db = openServiceDatabase(place, context);
  const database = nameDatabase(place);
  const checkSchema = createSchemaCheck(db, database, context.log);
  context.dependencies.push(...databaseDependencies(db, context.clock, checkSchema));
  return {
    db,
    checkSchema,
    feed: createDatabaseFeed(db),
    bus: connectBus(name, values, context),
    sharing: connectStateStore(values, context),
  };
}
