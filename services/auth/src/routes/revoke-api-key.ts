import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts } from '@latchkey/shared/http';
import { readApiKeyId, toApiKey } from '../api-key.ts';
import { ApiKeyParamsSchema, ApiKeySchema } from '../api-key-schema.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { lostManagersWarning } from '../manager-warning.ts';
import { revokeApiKey } from '../revoke-api-key.ts';

/** `DELETE /api/v1/api-keys/:id`. */
export function addRevokeApiKeyRoute(app: App, options: AuthRouteOptions): void {
  app.delete(
    '/api/v1/api-keys/:id',
    {
      config: { access: 'manage', action: 'api-key.revoke', limit: 'api' },
      schema: {
        tags: ['API keys'],
        summary: 'Revoke an API key',
        description:
          'Answers the key itself. Again is fine: the first revokedAt stays. Where no key with scope admin or full is left and ' +
          'ADMIN_API_KEY is not set, a Warning header and the log of the operator say so: nobody can manage the server then.',
        params: ApiKeyParamsSchema,
        response: {
          200: ApiKeySchema,
          ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'API_KEY_NOT_FOUND'),
        },
      },
    },
    async (request, reply) => {
      const revoked = await revokeApiKey(options, readApiKeyId(request.params.id), auditFacts(request));
      const warning = await lostManagersWarning(options.db, options.setup, options.clock.now()).catch(
        // The key is revoked already, so a failure of this query must not fail the answer.
        () => null,
      );
      if (warning) {
        options.warn(warning);
        // 299: a lasting warning for a person to read (RFC 7234 section 5.5.7, which RFC 9111 dropped without a successor).
        reply.header('warning', `299 latchkey "${warning}"`);
      }
      return toApiKey(revoked);
    },
  );
}
