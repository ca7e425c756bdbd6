import type { Scope } from '@latchkey/shared/contracts';
import { problems } from '@latchkey/shared/errors';
import {
  type App,
  type AuditFacts,
  auditFacts,
  NameSchema,
  readInstant,
  readName,
  validationFailure,
} from '@latchkey/shared/http';
import { Type } from 'typebox';
import { toApiKey } from '../api-key.ts';
import {
  announceApiKey,
  auditApiKeyAct,
  type IssuedApiKey,
  type KeyMaker,
  newApiKey,
} from '../api-key-acts.ts';
import { NewApiKeySchema, RawKeySchema, ScopeSchema } from '../api-key-schema.ts';
import { insertApiKey, lockSetupClaim } from '../api-key-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';

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

/**
 * Creates an API key. `full` may create `admin`: the scope table gives both the management of API keys.
 *
 * @param wanted `expiresAt` in milliseconds since 1970; null for a key that does not expire
 * @throws AppError VALIDATION_FAILED if `expiresAt` is not in the future (`docs/contract.md#api-keys`)
 */
export async function createApiKey(
  options: KeyMaker & Pick<AuthRouteOptions, 'ledger'>,
  wanted: { name: string; scope: Scope; expiresAt: number | null },
  facts: AuditFacts,
): Promise<IssuedApiKey> {
  return options.ledger.write(async (entry) => {
    if (wanted.expiresAt !== null && wanted.expiresAt <= entry.now)
      throw validationFailure('/expiresAt', 'must lie in the future');
    // Takes turns with setup: a key that is created while setup counts the keys would make two first keys.
    await lockSetupClaim(entry.tx, entry.now);
    const issued = newApiKey(options, wanted, entry.now);
    await insertApiKey(entry.tx, issued.row);
    await announceApiKey(entry, 'created', issued.row);
    await auditApiKeyAct(entry, 'api-key.create', issued.row.id, facts);
    return issued;
  });
}
