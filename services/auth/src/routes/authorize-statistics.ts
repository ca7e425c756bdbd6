import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { ConfigurationWarningSchema, StatisticsQuerySchema } from '@latchkey/shared/statistics';
import { Type } from 'typebox';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { readStoredWarnings } from '../stored-warnings.ts';

/**
 * `GET /api/v1/statistics`, as the gateway calls it with the caller's credential before it gathers the figures. It authorizes the
 * caller and returns the warnings about stored rows. The gateway documents the route, because its own answer differs.
 */
export function addAuthorizeStatisticsRoute(app: App, { db, setup }: AuthRouteOptions): void {
  app.get(
    '/api/v1/statistics',
    {
      config: { access: 'manage', action: 'statistics.read', limit: 'api' },
      schema: {
        hide: true,
        querystring: StatisticsQuerySchema,
        response: {
          200: Type.Object({ warnings: Type.Array(ConfigurationWarningSchema) }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async () => ({ warnings: await readStoredWarnings(db, setup) }),
  );
}
