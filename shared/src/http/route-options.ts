import type { RefusalLog } from '../audit/index.ts';
import type { Clock } from '../clock/index.ts';
import type { Database } from '../db/index.ts';
import type { Ledger } from '../events/index.ts';
import type { GuardOptions } from './guard.ts';

/** What the routes of every service that keeps rows are made from. */
export interface RouteOptions {
  db: Database;
  ledger: Ledger;
  clock: Clock;
  /** A UUID. */
  randomId: () => string;
  refusals: RefusalLog;
  guard: GuardOptions;
}
