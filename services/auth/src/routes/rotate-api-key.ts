import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { readApiKeyId, toApiKey } from '../api-key.ts';
import { ApiKeyParamsSchema, ApiKeySchema, NewApiKeySchema, RawKeySchema } from '../api-key-schema.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { rotateApiKey } from '../rotate-api-key.ts';
import { readEmptyBody } from './empty-body.ts';

/** 30 days: `docs/contract.md#api-keys`. */
const maxOverlapSeconds = 2_592_000;
const defaultOverlapSeconds = 0;

const BodySchema = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxOverlapSeconds,
        default: defaultOverlapSeconds,
        description: 'How long the old key still works. 0 revokes it at once.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** `POST /api/v1/api-keys/:id/rotate`. */
export function addRotateApiKeyRoute(app: App, options: AuthRouteOptions): void {
  app.post(
    '/api/v1/api-keys/:id/rotate',
    {
      config: { access: 'manage', action: 'api-key.rotate', limit: 'api' },
      schema: {
        tags: ['API keys'],
        summary: 'Replace an API key by a new one with the same name, scope and expiry',
        description: 'A key that is revoked or expired cannot be rotated: 404.',
        params: ApiKeyParamsSchema,
        body: BodySchema,
        response: {
          201: Type.Object({ api_key: NewApiKeySchema, raw_key: RawKeySchema, previous: ApiKeySchema }),
          ...problems(
            'VALIDATION_FAILED',
            'UNAUTHENTICATED',
            'INVALID_API_KEY',
            'INSUFFICIENT_SCOPE',
            'API_KEY_NOT_FOUND',
          ),
        },
      },
      preValidation: readEmptyBody,
    },
    async (request, reply) => {
      const id = readApiKeyId(request.params.id);
      const { overlapSeconds = defaultOverlapSeconds } = request.body;
      const rotated = await rotateApiKey(options, { id, overlapSeconds }, auditFacts(request));
      return reply.code(201).send({
        api_key: toApiKey(rotated.row),
        raw_key: rotated.rawKey,
        previous: toApiKey(rotated.previous),
      });
    },
  );
}
