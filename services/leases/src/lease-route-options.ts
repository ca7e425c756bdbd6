import type { ContentReader } from '@latchkey/shared/contracts';
import type { Metrics } from '@latchkey/shared/metrics';
import type { LeasePublisher } from '@latchkey/shared/replicas';
import type { UsageCounts } from '@latchkey/shared/statistics';
import type { ActWriter } from './acts/lease-act.ts';
import type { LeaseLedger } from './lease-ledger.ts';
import type { LeaseRules } from './lease-rules.ts';
import type { LeaseFinder } from './lease-store.ts';
import type { RouteOptions } from './own-tables.ts';

export interface LeaseRouteOptions extends RouteOptions {
  contents: ContentReader;
  /** `any`: a lease may be for content that is not registered (`CONTENT_MODE`). */
  contentMode: 'registered' | 'any';
  rules: LeaseRules;
  metrics: Metrics;
  /** Counts what viewers and API keys ask for. */
  usage: Pick<UsageCounts, 'count'>;
  /** See `marksKeptMs` in `config.ts`. */
  marksKeptMs: number | null;
  /** `PUBLIC_URL`: the base of the URLs of sessions; null for none, and then there are no sessions. */
  publicUrl: string | null;
  /** For the secrets of sessions. */
  randomBytes: (size: number) => Buffer;
  /** Null if no replica shares states with this process. */
  publisher: LeasePublisher | null;
}

/** The options of the functions that write acts on leases. */
export interface LeaseWriting extends Omit<LeaseRouteOptions, 'ledger'> {
  ledger: LeaseLedger;
}

/** The options of the functions of the service. */
export interface LeaseService extends LeaseWriting {
  acts: ActWriter;
  findLease: LeaseFinder;
}
