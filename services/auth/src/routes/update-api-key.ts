import { isApiKeyUsable } from '@latchkey/shared/auth';
import { contentsOf, type TokenContents } from '@latchkey/shared/contracts';
import { lockSubject } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import {
  type App,
  type AuditFacts,
  auditFacts,
  NameSchema,
  readInstant,
  readName,
} from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import {
  type ApiKeyRow,
  apiKeyNotFound,
  readApiKeyId,
  toApiKey,
  toApiKeyState,
  toMetadataColumn,
} from '../api-key.ts';
import { announceApiKey, assertInFuture, auditApiKeyAct, compareApiKeys } from '../api-key-acts.ts';
import {
  ApiKeyParamsSchema,
  ApiKeySchema,
  apiKeyRefusals,
  ExpirySchema,
  MetadataSchema,
} from '../api-key-schema.ts';
import { getApiKey, updateApiKey } from '../api-key-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';

type Changes = Partial<Pick<ApiKeyRow, 'name' | 'expires_at' | 'metadata'>>;

/** `PATCH /api/v1/api-keys/:id`. */
export function addUpdateApiKeyRoute(app: App, options: AuthRouteOptions): void {
  app.patch(
    '/api/v1/api-keys/:id',
    {
      config: { access: 'manage', contents: 'narrowed', action: 'api-key.update', limit: 'api' },
      schema: {
        tags: ['API keys'],
        operationId: 'updateApiKey',
        summary: 'Change the name, the expiry or the metadata of an API key',
        description:
          'The scope and the contents never change: create another key. Metadata is replaced as a whole. A key that is revoked or expired cannot be changed: 404.',
        params: ApiKeyParamsSchema,
        body: Type.Object(
          {
            name: Type.Optional(NameSchema),
            expiresAt: Type.Optional(ExpirySchema),
            metadata: Type.Optional(MetadataSchema),
          },
          { additionalProperties: false, minProperties: 1 },
        ),
        response: {
          200: Type.Object({ api_key: ApiKeySchema }),
          ...problems('VALIDATION_FAILED', ...apiKeyRefusals),
        },
      },
    },
    async (request) => {
      const { name, expiresAt, metadata } = request.body;
      const changes: Changes = {
        ...(name !== undefined && { name: readName(name) }),
        ...(expiresAt !== undefined && {
          expires_at: expiresAt === null ? null : readInstant(expiresAt, '/expiresAt'),
        }),
        ...(metadata !== undefined && { metadata: toMetadataColumn(metadata) }),
      };
      const id = readApiKeyId(request.params.id);
      const visible = contentsOf(request.principal);
      const row = await changeApiKey(options, { id, visible }, changes, auditFacts(request));
      return { api_key: toApiKey(row) };
    },
  );
}

/**
 * Changes an API key. Its row in the change feed makes every process read the key again, as after a revocation: a new expiry holds everywhere
 * within the same time.
 *
 * @throws AppError API_KEY_NOT_FOUND for an unknown id, and for a key that is revoked or expired: a later expiry would bring it back;
 *   VALIDATION_FAILED if the expiry is not in the future
 */
async function changeApiKey(
  { ledger }: Pick<AuthRouteOptions, 'ledger'>,
  { id, visible }: { id: string; visible: TokenContents | null },
  changes: Changes,
  facts: AuditFacts,
): Promise<ApiKeyRow> {
  return ledger.write(async (entry) => {
    assertInFuture(changes.expires_at ?? null, entry.now);
    await lockSubject(entry.tx, `api-key ${id}`, 'exclusive');
    const before = await getApiKey(entry.tx, id, visible);
    if (!isApiKeyUsable(toApiKeyState(before), entry.now))
      throw apiKeyNotFound('This API key is revoked or expired, so it cannot be changed. Create a new one.');
    const after = { ...before, ...changes };
    await updateApiKey(entry.tx, id, changes);
    await announceApiKey(entry, 'updated', after);
    await auditApiKeyAct(entry, 'api-key.update', id, facts, compareApiKeys(before, after));
    return after;
  });
}
