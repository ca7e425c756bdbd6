import type { Kysely } from 'kysely';
import type { RefusalLog } from '../audit/index.ts';
import type { Clock } from '../clock/index.ts';
import type { Schema } from '../db/index.ts';
import type { Ledger } from '../events/index.ts';
import type { GuardOptions } from './guard.ts';

/** What the routes of every service that keeps rows are made from. `DB` is the tables that the service may use. */
export interface RouteOptions<DB = Schema> {
  db: Kysely<DB>;
  ledger: Ledger<DB>;
  clock: Clock;
  /** A UUID. */
  randomId: () => string;
  refusals: RefusalLog;
  guard: GuardOptions;
}
