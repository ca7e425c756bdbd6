import type { Clock } from '@latchkey/shared/clock';
import type { DatabaseSize } from '@latchkey/shared/contracts';
import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import type { ReadyReport } from '@latchkey/shared/lifecycle';
import { Type } from '@latchkey/shared/schema';
import {
  type ConfigurationWarning,
  type ProcessStatistics,
  StatisticsQuerySchema,
  stepsKept,
} from '@latchkey/shared/statistics';
import { beginningOf, composeStatistics, type Shown } from './compose-statistics.ts';
import { type Statistics, StatisticsSchema } from './statistics-schema.ts';

export const statisticsPath = '/api/v1/statistics';

/** Access to the route, in both profiles. */
export const statisticsConfig = {
  access: 'manage',
  contents: 'whole-server',
  action: 'statistics.read',
  limit: 'api',
} as const;

export const statisticsRouteSchema = {
  tags: ['Service'],
  operationId: 'getStatistics',
  summary: 'The last hour in figures',
  description:
    'Held only in the memory of the processes: it begins again when a process restarts. With separate services the gateway ' +
    'gathers it from all of them, and names the processes that do not answer.',
  querystring: StatisticsQuerySchema,
  response: {
    200: Type.Object({ statistics: StatisticsSchema }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

interface OwnStatistics {
  /** The name of this machine or container. */
  name: string;
  clock: Clock;
  statistics: ProcessStatistics;
  report: () => Promise<ReadyReport>;
  /** Warnings about stored rows, such as API keys that never expire. */
  storedWarnings: () => Promise<readonly ConfigurationWarning[]>;
  readDatabaseSize: () => Promise<DatabaseSize>;
}

/** Composes the statistics of the single node, where one process has all figures. */
export function createOwnStatistics({
  name,
  clock,
  statistics,
  report,
  storedWarnings,
  readDatabaseSize,
}: OwnStatistics): (shown: Required<Shown>) => Promise<Statistics> {
  return async ({ steps, refusals, settings }) => {
    const now = clock.now();
    const [ready, stored, database] = await Promise.all([
      report(),
      storedWarnings(),
      settings ? readDatabaseSize() : null,
    ]);
    const own = statistics.report(beginningOf(now), refusals, settings);
    const gathered = {
      gateway: own,
      replicas: null,
      leases: [own],
      processes: [{ service: 'single node', address: name, report: own }],
      warnings: [...own.warnings, ...stored],
      ready,
      missing: [],
      database,
    };
    return composeStatistics(gathered, { steps, refusals, settings }, now);
  };
}

/** `GET /api/v1/statistics` of the single node. The guard of the scope authorizes it. */
export function addOwnStatistics(app: App, read: ReturnType<typeof createOwnStatistics>): void {
  app.get(
    statisticsPath,
    { config: statisticsConfig, schema: statisticsRouteSchema },
    async ({ query: { steps = stepsKept, refusals = 0, settings = false } }) => ({
      statistics: await read({ steps, refusals, settings }),
    }),
  );
}
