import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts, NameSchema, readName } from '@latchkey/shared/http';
import { Type } from 'typebox';
import {
  ContentIdSchema,
  fieldSchemas,
  KeyedContentAnswerSchema,
  toContentAnswer,
} from '../content-schema.ts';
import { keyEndpointOf } from '../key-endpoint.ts';
import type { RouteOptions } from '../own-tables.ts';
import { readFields } from '../read-fields.ts';
import { registerContent } from '../register-content.ts';

const BodySchema = Type.Object(
  { name: NameSchema, id: Type.Optional(ContentIdSchema), ...fieldSchemas },
  { additionalProperties: false },
);

const schema = {
  tags: ['Content'],
  summary: 'Register a content, or update it if the id is known',
  description: 'Registering again changes the given members, but neither keyVersion nor status.',
  body: BodySchema,
  response: {
    200: KeyedContentAnswerSchema,
    201: KeyedContentAnswerSchema,
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

export function addRegisterContentRoute(
  app: App,
  { ledger, randomId, publicUrl }: RouteOptions & { publicUrl: string | null },
): void {
  app.post(
    '/api/v1/content',
    { config: { access: 'manage', action: 'content.create', limit: 'api' }, schema },
    async (request, reply) => {
      const { id = randomId(), name, ...fields } = request.body;
      const registration = { ...readFields(fields), name: readName(name) };
      const { content, created } = await registerContent(ledger, id, registration, auditFacts(request));
      return reply.code(created ? 201 : 200).send({
        content: toContentAnswer(content),
        key_endpoint: keyEndpointOf(publicUrl, content.id),
      });
    },
  );
}
