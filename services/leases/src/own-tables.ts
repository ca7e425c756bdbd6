import type { ServiceDatabase, ServiceSchema, ServiceTransaction } from '@latchkey/shared/db';
import type * as events from '@latchkey/shared/events';
import type * as http from '@latchkey/shared/http';
import type * as rows from '@latchkey/shared/process/service-database';

// The database as the lease service sees it. Its files take these types and not the types of the whole database: a query on a
// table of another service then does not compile, as Postgres refuses it to the role of this service.

export type { AuditEntry } from '@latchkey/shared/contracts';
export type Schema = ServiceSchema<'leases'>;
export type Database = ServiceDatabase<'leases'>;
export type Transaction = ServiceTransaction<'leases'>;
export type Ledger = events.Ledger<Schema>;
export type LedgerEntry = events.LedgerEntry<Schema>;
export type RouteOptions = http.RouteOptions<Schema>;
export type RowCore<Values> = rows.RowCore<Values, Schema>;
