import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts } from '@latchkey/shared/http';
import { readApiKeyId, toApiKey } from '../api-key.ts';
import { ApiKeyParamsSchema, ApiKeySchema } from '../api-key-schema.ts';
import type { AuthPorts } from '../auth-ports.ts';
import { revokeApiKey } from '../revoke-api-key.ts';

/** `DELETE /api/v1/api-keys/:id`. */
export function addRevokeApiKeyRoute(app: App, ports: AuthPorts): void {
  app.delete(
    '/api/v1/api-keys/:id',
    {
      config: { access: 'manage', action: 'api-key.revoke', limit: 'api' },
      schema: {
        tags: ['API keys'],
        summary: 'Revoke an API key',
        description: 'Answers the key itself. Again is fine: the first revokedAt stays.',
        params: ApiKeyParamsSchema,
        response: {
          200: ApiKeySchema,
          ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'API_KEY_NOT_FOUND'),
        },
      },
    },
    async (request) =>
      toApiKey(await revokeApiKey(ports, readApiKeyId(request.params.id), auditFacts(request))),
  );
}
