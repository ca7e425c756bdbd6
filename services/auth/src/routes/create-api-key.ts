import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts, NameSchema, readInstant, readName } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { toApiKey } from '../api-key.ts';
import { NewApiKeySchema, RawKeySchema, ScopeSchema } from '../api-key-schema.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { createApiKey } from '../create-api-key.ts';

/** `docs/contract.md#api-keys`. */
const defaultScope = 'full';

const BodySchema = Type.Object(
  {
    name: NameSchema,
    scope: Type.Optional(ScopeSchema),
    expiresAt: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'ISO 8601, in the future. Absent or null: the key does not expire.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** `POST /api/v1/api-keys`. */
export function addCreateApiKeyRoute(app: App, options: AuthRouteOptions): void {
  app.post(
    '/api/v1/api-keys',
    {
      config: { access: 'manage', action: 'api-key.create', limit: 'api' },
      schema: {
        tags: ['API keys'],
        summary: 'Create an API key',
        description: `The scope is ${defaultScope} if none is given. Only this answer has the raw key.`,
        body: BodySchema,
        response: {
          201: Type.Object({ api_key: NewApiKeySchema, raw_key: RawKeySchema }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async (request, reply) => {
      const { name, scope = defaultScope, expiresAt = null } = request.body;
      const wanted = {
        name: readName(name),
        scope,
        expiresAt: expiresAt === null ? null : readInstant(expiresAt, '/expiresAt'),
      };
      const { row, rawKey } = await createApiKey(options, wanted, auditFacts(request));
      return reply.code(201).send({ api_key: toApiKey(row), raw_key: rawKey });
    },
  );
}
