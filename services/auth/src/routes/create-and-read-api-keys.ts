import { assertNotLimited } from '@latchkey/shared/auth';
import { contentsOf, isWithinPatterns, type Principal } from '@latchkey/shared/contracts';
import { namedBy } from '@latchkey/shared/db';
import { AppError, problems } from '@latchkey/shared/errors';
import {
  type App,
  type AuditFacts,
  auditFacts,
  listQuery,
  NameSchema,
  NextCursorSchema,
  nextCursor,
  nullableType,
  readInstant,
  readName,
  readPage,
  sortQuery,
  totalOf,
} from '@latchkey/shared/http';
import { createAnswerOnce, idempotencyKeyHeader, type Once, writeOnce } from '@latchkey/shared/idempotency';
import { Type } from '@latchkey/shared/schema';
import { readApiKeyId, toApiKey } from '../api-key.ts';
import {
  announceApiKey,
  assertInFuture,
  auditApiKeyAct,
  compareApiKeys,
  type IssuedApiKey,
  type KeyMaker,
  newApiKey,
  type WantedApiKey,
} from '../api-key-acts.ts';
import { apiKeyExpiries, apiKeyStatuses } from '../api-key-filter.ts';
import {
  ApiKeyParamsSchema,
  ApiKeySchema,
  apiKeyRefusals,
  ContentsSchema,
  CurrentApiKeySchema,
  ExpirySchema,
  MetadataSchema,
  NewApiKeySchema,
  RawKeySchema,
  ScopeSchema,
} from '../api-key-schema.ts';
import {
  apiKeyCursorOf,
  apiKeyOrders,
  countApiKeys,
  findApiKeyById,
  getApiKey,
  insertApiKey,
  listApiKeys,
  lockSetupClaim,
} from '../api-key-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';

/** `docs/reference/contract.md#api-keys`. */
const defaultScope = 'full';

const BodySchema = Type.Object(
  {
    name: NameSchema,
    scope: Type.Optional(ScopeSchema),
    expiresAt: Type.Optional(ExpirySchema),
    metadata: Type.Optional(MetadataSchema),
    contents: Type.Optional(ContentsSchema),
  },
  { additionalProperties: false },
);

/** Null in the answer to a repeat: a raw key is not stored. */
const FirstRawKeySchema = nullableType<string>({
  ...RawKeySchema,
  description:
    'Shown this once; only its hash is stored. Null in the answer to a repeat with the same Idempotency-Key.',
});

/** `POST /api/v1/api-keys`. */
export function addCreateApiKeyRoute(app: App, options: AuthRouteOptions): void {
  const answerOnce = createAnswerOnce(options, 'auth_idempotency_keys');
  app.post(
    '/api/v1/api-keys',
    {
      config: { access: 'manage', contents: 'narrowed', action: 'api-key.create', limit: 'api' },
      schema: {
        tags: ['API keys'],
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description: `The scope is ${defaultScope} if none is given. Only this answer has the raw key. An API key with \`contents\` creates only keys with the same ones or fewer.`,
        headers: idempotencyKeyHeader,
        body: BodySchema,
        response: {
          201: Type.Object({ api_key: NewApiKeySchema, raw_key: FirstRawKeySchema }),
          ...problems(
            'VALIDATION_FAILED',
            'UNAUTHENTICATED',
            'INVALID_API_KEY',
            'INSUFFICIENT_SCOPE',
            'IDEMPOTENCY_KEY_IN_USE',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
    },
    async (request, reply) => {
      const { name, scope = defaultScope, expiresAt = null, metadata = {}, contents = null } = request.body;
      assertMayGive(request.principal, contents);
      const wanted = {
        name: readName(name),
        scope,
        expiresAt: expiresAt === null ? null : readInstant(expiresAt, '/expiresAt'),
        metadata,
        contents,
      };
      return answerOnce(request, reply, {
        act: (once) => createApiKey(options, wanted, auditFacts(request), once),
        answerOf: ({ row, rawKey }) => ({
          status: 201,
          body: { api_key: toApiKey(row), raw_key: rawKey },
        }),
        hideSecrets: (body) => ({ ...body, raw_key: null }),
      });
    },
  );
}

/** @throws AppError INSUFFICIENT_SCOPE for contents that the caller does not have */
function assertMayGive(principal: Principal | null, contents: readonly string[] | null): void {
  const own = contentsOf(principal);
  if (!principal || (own && contents && isWithinPatterns(contents, [...own.values()]))) return;
  assertNotLimited(
    principal,
    'manage',
    'This API key is limited to some contents: `contents` must name the same ones or fewer.',
  );
}

/**
 * Creates an API key. `full` may create `admin`: the scope table gives both the management of API keys.
 *
 * @throws AppError VALIDATION_FAILED if `expiresAt` is not in the future (`docs/reference/contract.md#api-keys`)
 */
export async function createApiKey(
  options: KeyMaker & Pick<AuthRouteOptions, 'ledger'>,
  wanted: WantedApiKey,
  facts: AuditFacts,
  once?: Once<IssuedApiKey>,
): Promise<IssuedApiKey> {
  return writeOnce(options.ledger, once, async (entry) => {
    assertInFuture(wanted.expiresAt, entry.now);
    // Takes turns with setup: a key that is created while setup counts the keys would make two first keys.
    await lockSetupClaim(entry.tx, entry.now);
    const issued = newApiKey(options, wanted, entry.now);
    await insertApiKey(entry.tx, issued.row);
    await announceApiKey(entry, 'created', issued.row);
    await auditApiKeyAct(entry, 'api-key.create', issued.row.id, facts, {
      ...compareApiKeys(null, issued.row),
      scope: { before: null, after: wanted.scope },
      ...(wanted.contents && { contents: { before: null, after: wanted.contents } }),
    });
    return issued;
  });
}

/** `docs/reference/contract.md#api-keys`. */
const defaultLimit = 500;

/** As long as a name. */
const maxSearchLength = 200;
/** A hundred years: no key is older, and the date is still valid. */
const maxUnusedDays = 36_500;

const QuerySchema = Type.Object(
  {
    ...listQuery(defaultLimit),
    ...sortQuery(apiKeyOrders),
    q: Type.Optional(
      Type.String({
        maxLength: maxSearchLength,
        // Names have no control characters, and Postgres accepts no NUL.
        pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
        description: 'Part of the name, in any case, or how the raw key begins.',
      }),
    ),
    status: Type.Optional(Type.Enum([...apiKeyStatuses], { description: 'Revoked wins over expired.' })),
    scope: Type.Optional(ScopeSchema),
    expires: Type.Optional(
      Type.Enum([...apiKeyExpiries], { description: 'Has no expiry, or one within the next 14 days.' }),
    ),
    unusedDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxUnusedDays,
        description: 'Not used for this many days. A key that was never used counts from its creation.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** `GET /api/v1/api-keys`: newest first, including revoked and expired ones. */
export function addListApiKeysRoute(app: App, { db, clock }: AuthRouteOptions): void {
  app.get(
    '/api/v1/api-keys',
    {
      config: { access: 'manage', contents: 'narrowed', action: 'api-key.list', limit: 'api' },
      schema: {
        tags: ['API keys'],
        operationId: 'listApiKeys',
        summary: 'List API keys, newest first',
        description: 'By `expiresAt`, keys that never expire come after all others.',
        querystring: QuerySchema,
        response: {
          200: Type.Object({
            api_keys: Type.Array(ApiKeySchema),
            next_cursor: NextCursorSchema,
            total: Type.Integer({ description: 'How many match, on all pages. Counted up to 100,000.' }),
          }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async (request) => {
      const { limit, after, sort, order } = readPage(request.query, defaultLimit, apiKeyOrders);
      const { q: search, status, scope, expires, unusedDays } = request.query;
      const within = namedBy(db, contentsOf(request.principal));
      const filter = { search, status, scope, expires, unusedDays, within };
      const now = clock.now();
      const found = await listApiKeys(db, filter, { now, limit: limit + 1, after, order: sort });
      const { rows, next } = nextCursor(found, limit, (row) => apiKeyCursorOf(sort, row), order);
      const total = await totalOf({ shown: rows.length, after, next }, () => countApiKeys(db, filter, now));
      return { api_keys: rows.map(toApiKey), next_cursor: next, total };
    },
  );
}

/** `GET /api/v1/api-keys/current`: the caller's own key, for any scope. */
export function addGetCurrentApiKeyRoute(app: App, { db }: AuthRouteOptions): void {
  app.get(
    '/api/v1/api-keys/current',
    {
      config: { access: 'any-api-key', contents: 'none', action: 'api-key.current', limit: 'api' },
      schema: {
        tags: ['API keys'],
        operationId: 'getCurrentApiKey',
        summary: 'The API key of the caller',
        description: 'The bootstrap key is not stored: it has a scope, a name, and null for an id.',
        response: {
          200: Type.Object({ api_key: CurrentApiKeySchema }),
          ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async ({ principal }) => {
      if (principal?.kind !== 'api-key') throw new AppError('UNAUTHENTICATED');
      const { id, name, scope } = principal;
      if (id === null) return { api_key: { scope, name, id } };
      const row = await findApiKeyById(db, id);
      if (!row) throw new AppError('INVALID_API_KEY');
      return { api_key: toApiKey(row) };
    },
  );
}

/** `GET /api/v1/api-keys/:id`: also a key that is revoked or expired. */
export function addGetApiKeyRoute(app: App, { db }: AuthRouteOptions): void {
  app.get(
    '/api/v1/api-keys/:id',
    {
      config: { access: 'manage', contents: 'narrowed', action: 'api-key.read', limit: 'api' },
      schema: {
        tags: ['API keys'],
        operationId: 'getApiKey',
        summary: 'Look an API key up',
        params: ApiKeyParamsSchema,
        response: {
          200: Type.Object({ api_key: ApiKeySchema }),
          ...problems(...apiKeyRefusals),
        },
      },
    },
    async ({ params, principal }) => {
      const row = await getApiKey(db, readApiKeyId(params.id), contentsOf(principal));
      return { api_key: toApiKey(row) };
    },
  );
}
