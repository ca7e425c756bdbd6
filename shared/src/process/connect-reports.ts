import { randomBytes } from 'node:crypto';
import type { Authority } from '../authority/index.ts';
import {
  createSessionUses,
  createUsageReporter,
  type InternalClient,
  type RecordUsage,
  reportSessionUses,
  reportSessionUsesEveryMs,
  reportUsage,
  reportUsageEveryMs,
  type SessionUses,
} from '../internal/index.ts';
import type { UsageCounts } from '../statistics/index.ts';
import type { ProcessBase } from './process-context.ts';

/** For the last report: one request, to one address or a second one. */
const lastReportMs = 4_000;

interface UsingProcess extends Pick<ProcessBase, 'jobs' | 'shutdown' | 'warn'> {
  authority: Pick<Authority, 'leases'>;
}

/** Reports the uses of sessions to the lease service every few seconds, and at the end of the process. */
export function connectSessionUses(leases: InternalClient, process: UsingProcess): SessionUses {
  const { authority, warn } = process;
  const uses = createSessionUses({
    report: reportSessionUses(leases),
    onFault: (error) => warn('uses of sessions could not be reported; they are reported again', error),
    // As on a renewal, whose message may be lost: the next request reads when a use is worth a report again.
    onReported: (leaseId) => authority.leases.invalidate(leaseId),
  });
  runSessionUses(uses, process);
  return uses;
}

/** Same for the process that owns the leases. @param uses writes them */
export function runSessionUses(
  uses: SessionUses,
  { jobs, shutdown }: Pick<ProcessBase, 'jobs' | 'shutdown'>,
): void {
  jobs.repeat({
    everyMs: reportSessionUsesEveryMs,
    run: () => uses.flush(),
    failed: 'uses of sessions could not be reported',
  });
  shutdown.add('the last uses of sessions', lastReportMs, () => uses.flush());
}

interface CountingProcess extends Pick<ProcessBase, 'jobs' | 'shutdown' | 'warn'> {
  usage: UsageCounts;
}

/** Reports the usage that this process counts to the auth service once a minute, and at the end of the process. */
export function connectUsage(auth: InternalClient, process: CountingProcess): void {
  runUsage(reportUsage(auth), process);
}

/** Same for the process that owns the rows. @param record writes a report */
export function runUsage(record: RecordUsage, { usage, jobs, shutdown, warn }: CountingProcess): void {
  let lost = 0;
  const reporter = createUsageReporter({
    counts: usage,
    instance: randomBytes(16).toString('hex'),
    record,
    onFault(error) {
      warn('the usage of a minute could not be reported; it is reported again', error);
      if (usage.lostMinutes === lost) return;
      lost = usage.lostMinutes;
      warn(
        'the usage of a minute is lost: the auth service or its database has taken no reports for an hour. Keys are served all the same',
        error,
      );
    },
  });
  jobs.repeat({
    everyMs: reportUsageEveryMs,
    run: () => reporter.flush(),
    failed: 'usage could not be reported',
  });
  shutdown.add('the last usage', lastReportMs, () => reporter.end());
}
