import type { App } from '../http/index.ts';
import { Type } from '../schema/type.ts';
import { type ProcessReport, ProcessReportSchema, type ProcessStatistics } from '../statistics/index.ts';

/** The route on which a service reports its last hour to the gateway, with the latest `refusals` of its refusals and perhaps its settings. */
export function processReportPath(since: number, refusals = 0, settings = false): string {
  return `/internal/statistics?since=${since}&refusals=${refusals}${settings ? '&settings=true' : ''}`;
}

/** Serves the statistics of this process to the gateway. */
export function addProcessReportRoute(app: App, statistics: ProcessStatistics): void {
  app.get(
    '/internal/statistics',
    {
      // Also while the process waits for a dependency, because operators look at that time.
      config: { access: 'internal', waitsForNothing: true },
      schema: {
        hide: true,
        querystring: Type.Object({
          since: Type.Integer({ minimum: 0 }),
          refusals: Type.Optional(Type.Integer({ minimum: 0 })),
          settings: Type.Optional(Type.Boolean()),
        }),
        response: { 200: ProcessReportSchema },
      },
    },
    async ({ query: { since, refusals, settings } }): Promise<ProcessReport> =>
      statistics.report(since, refusals, settings),
  );
}
