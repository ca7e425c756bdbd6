import { Type } from 'typebox';
import type { App } from '../http/index.ts';
import { type ProcessReport, ProcessReportSchema, type ProcessStatistics } from '../statistics/index.ts';

/** Where a service tells the gateway of its last hour. */
export function processReportPath(since: number): string {
  return `/internal/statistics?since=${since}`;
}

/** Tells the gateway what this process has seen. */
export function addProcessReportRoute(app: App, statistics: ProcessStatistics): void {
  app.get(
    '/internal/statistics',
    {
      // Also while it waits for what it depends on: that is when somebody looks.
      config: { access: 'internal', waitsForNothing: true },
      schema: {
        hide: true,
        querystring: Type.Object({ since: Type.Integer({ minimum: 0 }) }),
        response: { 200: ProcessReportSchema },
      },
    },
    async (request): Promise<ProcessReport> => statistics.report(request.query.since),
  );
}
