import { lockSubject } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import { type App, type AuditFacts, auditFacts } from '@latchkey/shared/http';
import { type ApiKeyRow, apiKeyNotFound, readApiKeyId, toApiKey } from '../api-key.ts';
import { announceApiKey, auditApiKeyAct } from '../api-key-acts.ts';
import { ApiKeyParamsSchema, ApiKeySchema } from '../api-key-schema.ts';
import { findApiKeyById, setApiKeyEnd } from '../api-key-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { lostManagersWarning } from '../stored-warnings.ts';

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
          'Returns the key. A repeat keeps the first revokedAt. If no key with scope admin or full is left and ADMIN_API_KEY ' +
          'is not set, nobody can manage the server: a Warning header and the log of the operator say so.',
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

/**
 * Revokes an API key. A second call keeps the time of the first, and adds only an audit row.
 *
 * @returns the key as it is now
 * @throws AppError API_KEY_NOT_FOUND
 */
async function revokeApiKey(
  { ledger }: Pick<AuthRouteOptions, 'ledger'>,
  id: string,
  facts: AuditFacts,
): Promise<ApiKeyRow> {
  return ledger.write(async (entry) => {
    await lockSubject(entry.tx, `api-key ${id}`, 'exclusive');
    const row = await findApiKeyById(entry.tx, id);
    if (!row) throw apiKeyNotFound();
    const revoked = { ...row, revoked_at: row.revoked_at ?? entry.now };
    if (row.revoked_at === null) {
      await setApiKeyEnd(entry.tx, id, revoked);
      await announceApiKey(entry, 'revoked', revoked);
    }
    await auditApiKeyAct(entry, 'api-key.revoke', id, facts);
    return revoked;
  });
}
