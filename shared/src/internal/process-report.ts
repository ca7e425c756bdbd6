import { Type } from 'typebox';
import type { App } from '../http/index.ts';
import { type ProcessReport, ProcessReportSchema, type ProcessStatistics } from '../statistics/index.ts';

/** The route on which a service reports its last hour to the gateway, with so many of its latest refusals. */
export function processReportPath(since: number, refusals = 0): string {
  return `/internal/statistics?since=${since}&refusals=${refusals}`;
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
        }),
        response: { 200: ProcessReportSchema },
      },
    },
    async (request): Promise<ProcessReport> => statistics.report(request.query.since, request.query.refusals),
  );
}
