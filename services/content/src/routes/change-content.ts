import { isContentId } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, auditFacts, NameSchema } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { changeContent } from '../change-content.ts';
import {
  ContentAnswerSchema,
  ContentParametersSchema,
  fieldSchemas,
  StatusSchema,
  toContentAnswer,
} from '../content-schema.ts';
import type { RouteOptions } from '../own-tables.ts';
import { readFields } from '../read-fields.ts';

const BodySchema = Type.Object(
  { name: Type.Optional(NameSchema), status: Type.Optional(StatusSchema), ...fieldSchemas },
  { additionalProperties: false, minProperties: 1 },
);

const schema = {
  tags: ['Content'],
  summary: 'Change a content, or bring a disabled one back',
  params: ContentParametersSchema,
  body: BodySchema,
  response: {
    200: ContentAnswerSchema,
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'CONTENT_NOT_FOUND',
    ),
  },
};

export function addChangeContentRoute(app: App, { ledger }: RouteOptions): void {
  app.patch(
    '/api/v1/content/:id',
    { config: { access: 'manage', action: 'content.update', limit: 'api' }, schema },
    async (request) => {
      const { id } = request.params;
      if (!isContentId(id)) throw new AppError('CONTENT_NOT_FOUND');
      const content = await changeContent(ledger, id, readFields(request.body), auditFacts(request));
      return { content: toContentAnswer(content) };
    },
  );
}
