import { isContentId } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { ContentParametersSchema, KeyedContentAnswerSchema, toContentAnswer } from '../content-schema.ts';
import { findContent } from '../content-store.ts';
import { keyEndpointOf } from '../key-endpoint.ts';
import type { RouteOptions } from '../own-tables.ts';

const schema = {
  tags: ['Content'],
  summary: 'Look a content up',
  params: ContentParametersSchema,
  response: {
    200: KeyedContentAnswerSchema,
    ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'CONTENT_NOT_FOUND'),
  },
};

export function addGetContentRoute(
  app: App,
  { db, publicUrl }: RouteOptions & { publicUrl: string | null },
): void {
  app.get(
    '/api/v1/content/:id',
    { config: { access: 'content:read', action: 'content.read', limit: 'api' }, schema },
    async (request) => {
      const { id } = request.params;
      const content = isContentId(id) ? await findContent(db, id) : null;
      if (!content) throw new AppError('CONTENT_NOT_FOUND');
      return { content: toContentAnswer(content), key_endpoint: keyEndpointOf(publicUrl, content.id) };
    },
  );
}
