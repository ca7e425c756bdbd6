import { hostname } from 'node:os';
import { readStoredWarnings, type SetupSecrets } from '@latchkey/auth';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { readDatabaseSize } from '@latchkey/shared/db';
import { addGuard, addRefusalAudit } from '@latchkey/shared/http';
import type { Readiness } from '@latchkey/shared/lifecycle';
import type { RowCore } from '@latchkey/shared/process/rows';
import { addOwnStatistics, type WorkerReports } from './statistics/add-own-statistics.ts';

interface Parts {
  readiness: Readiness;
  /** Where workers answer the clients. */
  gatherWorkers?: (since: number, refusals: number) => Promise<WorkerReports>;
}

/** The statistics of the single node, with what its stores know. In a file that no gateway loads: its image has no database. */
export async function mountStatistics(
  { app, db, clock, metrics, guard, refusals }: RowCore<SingleNodeValues>,
  setup: SetupSecrets,
  { readiness, gatherWorkers }: Parts,
): Promise<void> {
  await app.register(async (scope) => {
    addGuard(scope, guard);
    addRefusalAudit(scope, refusals);
    addOwnStatistics(scope, {
      name: hostname(),
      clock,
      statistics: metrics.statistics,
      report: readiness.report,
      storedWarnings: () => readStoredWarnings(db, setup),
      readDatabaseSize: () => readDatabaseSize(db),
      gatherWorkers,
    });
  });
}
