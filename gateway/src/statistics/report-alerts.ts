import { alertsEveryMs } from '@latchkey/shared/contracts';
import { createInternalClient } from '@latchkey/shared/internal';
import type { ProcessBase } from '@latchkey/shared/process';
import { type GatheredStatistics, gatherStatistics } from './add-gathered-statistics.ts';

/** A report under way at the end of the process is not worth a wait: another gateway, or the next start, reports the same. */
const endMs = 500;

/**
 * Tells the auth service every 30 s which problems the Overview shows. Several gateways may do so. The auth service adds what it knows of
 * stored rows.
 */
export function repeatAlertReports(
  { jobs, shutdown }: Pick<ProcessBase, 'jobs' | 'shutdown'>,
  options: GatheredStatistics,
): void {
  const { upstreams, secret } = options;
  // The job says so itself.
  const auth = createInternalClient({ name: 'auth', upstream: upstreams.auth, secret, onFault: () => {} });
  jobs.repeat({
    everyMs: alertsEveryMs,
    async run() {
      const shown = { steps: 1, refusals: 0, settings: false };
      const { concerns: alerts } = await gatherStatistics(options, { warnings: [] }, shown);
      await auth.post('/internal/alerts', { alerts }, () => null);
    },
    failed: 'alerts could not be reported to the auth service: webhooks get them once it answers',
  });
  shutdown.add('the report of alerts', endMs, () => jobs.stop());
}
