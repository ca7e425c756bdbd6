import { hostname } from 'node:os';
import { readStoredWarnings, type SetupSecrets } from '@latchkey/auth';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { readDatabaseSize } from '@latchkey/shared/db';
import { addGuard, addRefusalAudit } from '@latchkey/shared/http';
import type { Readiness } from '@latchkey/shared/lifecycle';
import type { RowCore } from '@latchkey/shared/process/service-database';
import { addOwnStatistics, createOwnStatistics } from './statistics/add-own-statistics.ts';
import type { Statistics } from './statistics/statistics-schema.ts';

/**
 * The statistics of the single node, with what its stores know. In a file that no gateway loads: its image has no database.
 *
 * @returns reads the problems that the Overview shows
 */
export async function mountStatistics(
  { app, db, clock, metrics, guard, refusals }: RowCore<SingleNodeValues>,
  setup: SetupSecrets,
  readiness: Readiness,
): Promise<() => Promise<Statistics['concerns']>> {
  const read = createOwnStatistics({
    name: hostname(),
    clock,
    statistics: metrics.statistics,
    report: readiness.report,
    storedWarnings: () => readStoredWarnings(db, setup),
    readDatabaseSize: () => readDatabaseSize(db),
  });
  await app.register(async (scope) => {
    addGuard(scope, guard);
    addRefusalAudit(scope, refusals);
    addOwnStatistics(scope, read);
  });
  return async () => (await read({ steps: 1, refusals: 0, settings: false })).concerns;
}
