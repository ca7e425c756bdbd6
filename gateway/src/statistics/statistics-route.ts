import { problems } from '@latchkey/shared/errors';
import { StatisticsQuerySchema } from '@latchkey/shared/statistics';
import { Type } from 'typebox';
import { StatisticsSchema } from './statistics-schema.ts';

export const statisticsPath = '/api/v1/statistics';

/** Access to the route, in both profiles. */
export const statisticsConfig = { access: 'manage', action: 'statistics.read', limit: 'api' } as const;

export const statisticsRouteSchema = {
  tags: ['Service'],
  summary: 'The last hour in figures',
  description:
    'Held only in the memory of the processes: it begins again when a process restarts. With separate services the gateway ' +
    'gathers it from all of them, and names those that do not answer.',
  querystring: StatisticsQuerySchema,
  response: {
    200: Type.Object({ statistics: StatisticsSchema }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};
