import { problems } from '@latchkey/shared/errors';
import { StatisticsQuerySchema } from '@latchkey/shared/statistics';
import { Type } from 'typebox';
import { StatisticsSchema } from './statistics-schema.ts';

export const statisticsPath = '/api/v1/statistics';

/** How the route is called, whichever profile answers it. */
export const statisticsConfig = { access: 'manage', action: 'statistics.read', limit: 'api' } as const;

export const statisticsRouteSchema = {
  tags: ['Service'],
  summary: 'The last hour in figures',
  description:
    'RecencyEntry in the memory of the processes and nowhere else: it begins anew where one restarts. With separate services the gateway ' +
    'gathers it from all of them; those that do not answer are named.',
  querystring: StatisticsQuerySchema,
  response: {
    200: Type.Object({ statistics: StatisticsSchema }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};
