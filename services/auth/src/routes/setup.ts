import { AppError, problems } from '@latchkey/shared/errors';
import {
  type App,
  type AuditFacts,
  auditFacts,
  NameSchema,
  readEmptyBody,
  readName,
} from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { toApiKey } from '../api-key.ts';
import {
  announceApiKey,
  auditApiKeyAct,
  type IssuedApiKey,
  type KeyMaker,
  newApiKey,
} from '../api-key-acts.ts';
import { NewApiKeySchema, RawKeySchema } from '../api-key-schema.ts';
import { hasApiKeys, insertApiKey, lockSetupClaim } from '../api-key-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { checkSetupCredential, demandedSetupCredential, refuseForeignPage } from '../setup-credential.ts';

const StateSchema = Type.Object({
  setup_required: Type.Boolean({ description: 'Whether no API key is stored yet.' }),
  credential: Type.Enum(['none', 'bootstrap-key', 'setup-token'], {
    description: 'The credential that this caller must present to POST, as Authorization: Bearer.',
  }),
});

/** `GET /api/v1/setup`: whether the server can be claimed, and which credential that takes. */
export function addGetSetupRoute(app: App, options: AuthRouteOptions): void {
  app.get(
    '/api/v1/setup',
    {
      config: { access: 'open', action: 'setup.get', limit: 'api' },
      schema: {
        tags: ['Setup'],
        operationId: 'getSetup',
        summary: 'Whether the first API key has to be created, and what this caller has to present',
        response: { 200: StateSchema, ...problems() },
      },
    },
    async (request) => ({
      setup_required: !(await hasApiKeys(options.db)),
      credential: demandedSetupCredential(options, request.raw),
    }),
  );
}

/** `docs/reference/contract.md#setup`. */
const defaultName = 'admin';

const BodySchema = Type.Object({ name: Type.Optional(NameSchema) }, { additionalProperties: false });

/** `POST /api/v1/setup`: creates the first API key. */
export function addClaimSetupRoute(app: App, options: AuthRouteOptions): void {
  app.post(
    '/api/v1/setup',
    {
      config: { access: 'open', action: 'setup', limit: 'api' },
      schema: {
        tags: ['Setup'],
        operationId: 'claimSetup',
        summary: 'Create the first API key, with scope admin',
        description:
          'Needs the setup token if SETUP_TOKEN is set, otherwise the bootstrap key if ADMIN_API_KEY is set. Outside of ' +
          'production, a call straight from the machine itself needs no bootstrap key in the first ten minutes. Of web ' +
          'pages, only the dashboard of this server may call. No body is needed. After setup, every call gets 409.',
        body: BodySchema,
        response: {
          201: Type.Object({ api_key: NewApiKeySchema, raw_key: RawKeySchema }),
          ...problems(
            'VALIDATION_FAILED',
            'UNAUTHENTICATED',
            'INVALID_API_KEY',
            'SETUP_REFUSED',
            'SETUP_ALREADY_DONE',
          ),
        },
      },
      // Checked first: a caller without the credential must learn nothing from the order of checks.
      onRequest: async (request) => {
        await refuseSecondClaim(options);
        refuseForeignPage(options, request.raw);
        request.principal = checkSetupCredential(options, request.raw);
      },
      preValidation: readEmptyBody,
    },
    async (request, reply) => {
      const { name = defaultName } = request.body;
      const { row, rawKey } = await claimSetup(options, readName(name), auditFacts(request));
      return reply.code(201).send({ api_key: toApiKey(row), raw_key: rawKey });
    },
  );
}

/**
 * Creates the first API key, with scope `admin` (`docs/reference/contract.md#setup`). Of concurrent callers exactly one succeeds.
 *
 * @throws AppError SETUP_ALREADY_DONE if any key is stored, including revoked ones
 */
export async function claimSetup(
  options: KeyMaker & Pick<AuthRouteOptions, 'ledger'>,
  name: string,
  facts: AuditFacts,
): Promise<IssuedApiKey> {
  return options.ledger.write(async (entry) => {
    await lockSetupClaim(entry.tx, entry.now);
    if (await hasApiKeys(entry.tx)) throw alreadyDone();
    const issued = newApiKey(
      options,
      { name, scope: 'admin', expiresAt: null, metadata: {}, contents: null },
      entry.now,
    );
    await insertApiKey(entry.tx, issued.row);
    await announceApiKey(entry, 'created', issued.row);
    await auditApiKeyAct(entry, 'setup', issued.row.id, facts);
    return issued;
  });
}

/**
 * A first check without a lock, so that a stranger who calls again and again blocks nobody. Rows are never removed, so one is enough.
 *
 * @throws AppError SETUP_ALREADY_DONE
 */
async function refuseSecondClaim({ db }: Pick<AuthRouteOptions, 'db'>): Promise<void> {
  if (await hasApiKeys(db)) throw alreadyDone();
}

function alreadyDone(): AppError {
  return new AppError('SETUP_ALREADY_DONE', {
    detail: 'An API key is stored already. Create further ones with POST /api/v1/api-keys.',
  });
}
