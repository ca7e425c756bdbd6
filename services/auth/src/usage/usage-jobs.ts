import type { RecordUsage } from '@latchkey/shared/internal';
import type { AuthConfig } from '../config.ts';
import type { RowCore } from '../own-tables.ts';
import { createUsagePurge } from './purge-usage.ts';
import type { UsageRetention } from './spans.ts';
import { createUsageTrim } from './trim-usage.ts';
import { createUsageWriter } from './write-usage.ts';

/** Rows are kept for days, and a minute is trimmed three minutes after its end. */
const everyMs = 60_000;

/** The settings that the routes need to read usage. */
export interface UsageAccess {
  retention: UsageRetention;
  /** `GRAFANA_URL`; null if it is not set. */
  grafanaUrl: string | null;
}

export function toUsageAccess(values: AuthConfig): UsageAccess {
  return {
    retention: { days: values.usageKeepDays, minutesHours: values.usageMinutesKeepHours },
    grafanaUrl: values.grafanaUrl ?? null,
  };
}

/** Adds the job that trims and purges usage. @returns writes reports */
export function addUsageJobs(
  { db, clock, jobs, metrics }: RowCore<AuthConfig>,
  { retention }: UsageAccess,
): RecordUsage {
  const stopping = new AbortController();
  const options = { db, clock, retention, signal: stopping.signal };
  const trim = createUsageTrim(options);
  const purge = createUsagePurge({ ...options, observe: metrics.observePurge });
  jobs.repeat({
    everyMs,
    async run() {
      await trim.run();
      await purge.run();
    },
    failed: 'usage could not be purged: it grows, and nothing else is affected. The next minute tries again',
    interrupt: () => stopping.abort(),
  });
  return createUsageWriter(options);
}
