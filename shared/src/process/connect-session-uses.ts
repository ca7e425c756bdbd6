import type { Authority } from '../authority/index.ts';
import {
  createSessionUses,
  type InternalClient,
  reportSessionUses,
  reportSessionUsesEveryMs,
  type SessionUses,
} from '../internal/index.ts';
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

/** Same for the process that owns the leases. @param report writes the uses */
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
