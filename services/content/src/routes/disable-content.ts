import { isContentId } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, auditFacts } from '@latchkey/shared/http';
import { ContentAnswerSchema, ContentParametersSchema, toContentAnswer } from '../content-schema.ts';
import { disableContent } from '../disable-content.ts';
import type { RouteOptions } from '../own-tables.ts';

const schema = {
  tags: ['Content'],
  summary: 'Disable a content: it gives no more keys',
  params: ContentParametersSchema,
  response: {
    200: ContentAnswerSchema,
    ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'CONTENT_NOT_FOUND'),
  },
};

export function addDisableContentRoute(app: App, { ledger }: RouteOptions): void {
  app.delete(
    '/api/v1/content/:id',
    { config: { access: 'manage', action: 'content.disable', limit: 'api' }, schema },
    async (request) => {
      const { id } = request.params;
      if (!isContentId(id)) throw new AppError('CONTENT_NOT_FOUND');
      return { content: toContentAnswer(await disableContent(ledger, id, auditFacts(request))) };
    },
  );
}
