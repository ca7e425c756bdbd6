import { createTableCheck } from '@latchkey/shared/db';
import { everyMs, type Repeating } from '@latchkey/shared/lifecycle';
import { createLeasePurge, type LeasePurgeOptions } from './purge-leases.ts';
import { createRevocationWriter } from './revocation-writer.ts';

/** Expiry is by comparison, so the purge only saves room and can be rare. */
const purgeEveryMs = 60_000;
/** A revocation holds before its rows are written, so a second is soon enough. */
const writeEveryMs = 1_000;

export interface LeaseJobOptions extends Omit<LeasePurgeOptions, 'revocations' | 'signal'> {
  onFault(what: string, error: unknown): void;
}

/** Starts what the lease service does beside requests: it writes revocations to rows, and purges. */
export function startLeaseJobs(options: LeaseJobOptions): Repeating {
  const { onFault } = options;
  const stopping = new AbortController();
  const shared = { ...options, revocations: createTableCheck('revocations'), signal: stopping.signal };
  const purge = createLeasePurge(shared);
  const writer = createRevocationWriter(shared);
  const jobs = [
    everyMs(
      purgeEveryMs,
      () => purge.run(),
      (error) => onFault('what has ended could not be purged', error),
    ),
    everyMs(
      writeEveryMs,
      () => writer.run(),
      (error) => onFault('revoked leases could not be written; they stay revoked', error),
    ),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
