import { randomUUID } from 'node:crypto';
import { createRefusalLog } from '../audit/index.ts';
import type { Database, Schema } from '../db/index.ts';
import { createLedger } from '../events/rows.ts';
import type { RouteOptions } from '../http/index.ts';
import type { ServiceCore } from './service-core.ts';

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
