import type { Clock } from '@latchkey/shared/clock';
import type { App } from '@latchkey/shared/http';
import type { ReadyReport } from '@latchkey/shared/lifecycle';
import { type ConfigurationWarning, type ProcessStatistics, stepsKept } from '@latchkey/shared/statistics';
import { beginningOf, composeStatistics } from './compose-statistics.ts';
import { statisticsConfig, statisticsPath, statisticsRouteSchema } from './statistics-route.ts';

export interface OwnStatistics {
  clock: Clock;
  statistics: ProcessStatistics;
  report: () => Promise<ReadyReport>;
  /** Warnings about stored rows, such as API keys that never expire. */
  storedWarnings: () => Promise<readonly ConfigurationWarning[]>;
}

/** `GET /api/v1/statistics` of the single node, where one process has all figures. The guard of the scope authorizes it. */
export function addOwnStatistics(
  app: App,
  { clock, statistics, report, storedWarnings }: OwnStatistics,
): void {
  app.get(
    statisticsPath,
    { config: statisticsConfig, schema: statisticsRouteSchema },
    async ({ query: { steps = stepsKept } }) => {
      const [ready, stored] = await Promise.all([report(), storedWarnings()]);
      const now = clock.now();
      const own = statistics.report(beginningOf(now));
      const warnings = [...own.warnings, ...stored];
      const gathered = { gateway: own, replicas: null, leases: [own], warnings, ready, missing: [] };
      return { statistics: composeStatistics(gathered, steps, now) };
    },
  );
}
