import { ContentIdSchema } from '@latchkey/shared/contracts';
import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { type createPlayerMetrics, PlayerMetricsSchema } from '../player-metrics.ts';

const schema = {
  tags: ['player'],
  summary: "Report the player's metrics",
  body: Type.Object(
    { ...PlayerMetricsSchema, contentId: Type.Optional(ContentIdSchema) },
    { additionalProperties: false },
  ),
  response: {
    204: Type.Null({ description: 'Counted' }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_TOKEN', 'INSUFFICIENT_SCOPE'),
  },
};

/** `POST /api/v1/player-metrics` */
export function addReportPlayerMetricsRoute(
  app: App,
  playerMetrics: ReturnType<typeof createPlayerMetrics>,
): void {
  const config = { access: 'player-metrics', limit: 'api' } as const;
  app.post('/api/v1/player-metrics', { config, schema }, async (request, reply) => {
    playerMetrics.observe(request.body);
    return reply.code(204).send(null);
  });
}
