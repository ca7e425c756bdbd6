import { isApiKeyUsable } from '@latchkey/shared/auth';
import { contentsOf, type TokenContents } from '@latchkey/shared/contracts';
import { lockSubject } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import {
  type App,
  type AuditFacts,
  appliedMembers,
  auditFacts,
  instantOf,
  readEmptyBody,
  WaitQuerySchema,
  waitIfAsked,
} from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import {
  type ApiKeyRow,
  apiKeyNotFound,
  endOfReplaced,
  readApiKeyId,
  toApiKey,
  toApiKeyState,
} from '../api-key.ts';
import {
  announceApiKey,
  auditApiKeyAct,
  type IssuedApiKey,
  type KeyMaker,
  newApiKey,
} from '../api-key-acts.ts';
import {
  ApiKeyParamsSchema,
  ApiKeySchema,
  apiKeyRefusals,
  NewApiKeySchema,
  RawKeySchema,
} from '../api-key-schema.ts';
import { getApiKey, insertApiKey, setApiKeyEnd } from '../api-key-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { lostManagersWarning } from '../stored-warnings.ts';

/** 30 days: `docs/reference/contract.md#api-keys`. */
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
      config: { access: 'manage', contents: 'narrowed', action: 'api-key.rotate', limit: 'api' },
      schema: {
        tags: ['API keys'],
        operationId: 'rotateApiKey',
        summary: 'Replace an API key by a new one with the same name, scope, contents, expiry and metadata',
        description: 'A key that is revoked or expired cannot be rotated: 404.',
        params: ApiKeyParamsSchema,
        body: BodySchema,
        response: {
          201: Type.Object({ api_key: NewApiKeySchema, raw_key: RawKeySchema, previous: ApiKeySchema }),
          ...problems('VALIDATION_FAILED', ...apiKeyRefusals),
        },
      },
      preValidation: readEmptyBody,
    },
    async (request, reply) => {
      const id = readApiKeyId(request.params.id);
      const { overlapSeconds = defaultOverlapSeconds } = request.body;
      const visible = contentsOf(request.principal);
      const rotated = await rotateApiKey(options, { id, overlapSeconds, visible }, auditFacts(request));
      request.revocation = { apiKeyId: id };
      return reply.code(201).send({
        api_key: toApiKey(rotated.row),
        raw_key: rotated.rawKey,
        previous: toApiKey(rotated.previous),
      });
    },
  );
}

interface RotatedApiKey extends IssuedApiKey {
  /** The replaced key, with its new end. */
  previous: ApiKeyRow;
}

/**
 * Replaces an API key by one with the same name, scope, contents, expiry and metadata. The old one works for the overlap. An overlap
 * of 0 revokes it at once. The audit names the old one.
 *
 * @throws AppError API_KEY_NOT_FOUND for an unknown id, and for a key that is revoked or expired:
 *   a key that is no longer accepted must not return under another id
 */
async function rotateApiKey(
  options: KeyMaker & Pick<AuthRouteOptions, 'ledger'>,
  { id, overlapSeconds, visible }: { id: string; overlapSeconds: number; visible: TokenContents | null },
  facts: AuditFacts,
): Promise<RotatedApiKey> {
  return options.ledger.write(async (entry) => {
    await lockSubject(entry.tx, `api-key ${id}`, 'exclusive');
    const row = await getApiKey(entry.tx, id, visible);
    if (!isApiKeyUsable(toApiKeyState(row), entry.now))
      throw apiKeyNotFound('This API key is revoked or expired, so it cannot be rotated. Create a new one.');
    const { name, expires_at: expiresAt } = row;
    const { scope, contents, metadata } = toApiKey(row);
    const issued = newApiKey(options, { name, scope, contents, expiresAt, metadata }, entry.now);
    const previous = { ...row, ...endOfReplaced(row, overlapSeconds, entry.now) };
    await insertApiKey(entry.tx, issued.row);
    await setApiKeyEnd(entry.tx, id, previous);
    await announceApiKey(entry, 'created', issued.row);
    await announceApiKey(entry, previous.revoked_at === null ? 'updated' : 'revoked', previous);
    await auditApiKeyAct(entry, 'api-key.rotate', id, facts, {
      keyPrefix: { before: row.key_prefix, after: issued.row.key_prefix },
      expiresAt: { before: instantOf(expiresAt), after: instantOf(previous.expires_at) },
    });
    return { ...issued, previous };
  });
}

/** `DELETE /api/v1/api-keys/:id`. */
export function addRevokeApiKeyRoute(app: App, options: AuthRouteOptions): void {
  app.delete(
    '/api/v1/api-keys/:id',
    {
      config: { access: 'manage', contents: 'narrowed', action: 'api-key.revoke', limit: 'api' },
      schema: {
        tags: ['API keys'],
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description:
          'Returns the key. A repeat keeps the first revokedAt. If no key with scope admin or full is left and ADMIN_API_KEY ' +
          'is not set, nobody can manage the server: a Warning header and the log of the operator say so.',
        params: ApiKeyParamsSchema,
        querystring: WaitQuerySchema,
        response: {
          200: Type.Object({ ...ApiKeySchema.properties, ...appliedMembers }),
          ...problems('VALIDATION_FAILED', ...apiKeyRefusals),
        },
      },
    },
    async (request, reply) => {
      const id = readApiKeyId(request.params.id);
      const revoked = await revokeApiKey(options, id, contentsOf(request.principal), auditFacts(request));
      request.revocation = { apiKeyId: id };
      const warning = await lostManagersWarning(options.db, options.setup, options.clock.now()).catch(
        // The key is revoked already, so a failure of this query must not fail the answer.
        () => null,
      );
      if (warning) {
        options.warn(warning);
        // 299: a lasting warning for a person to read (RFC 7234 section 5.5.7, which RFC 9111 dropped without a successor).
        reply.header('warning', `299 latchkey "${warning}"`);
      }
      return { ...toApiKey(revoked), ...(await waitIfAsked(request.query, options)) };
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
  visible: TokenContents | null,
  facts: AuditFacts,
): Promise<ApiKeyRow> {
  return ledger.write(async (entry) => {
    await lockSubject(entry.tx, `api-key ${id}`, 'exclusive');
    const row = await getApiKey(entry.tx, id, visible);
    const revoked = { ...row, revoked_at: row.revoked_at ?? entry.now };
    if (row.revoked_at === null) {
      await setApiKeyEnd(entry.tx, id, revoked);
      await announceApiKey(entry, 'revoked', revoked);
    }
    await auditApiKeyAct(entry, 'api-key.revoke', id, facts);
    return revoked;
  });
}
