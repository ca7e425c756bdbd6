import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts, NameSchema, readName } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { toApiKey } from '../api-key.ts';
import { NewApiKeySchema, RawKeySchema } from '../api-key-schema.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { claimSetup, refuseSecondClaim } from '../claim-setup.ts';
import { checkSetupCredential, refuseForeignPage } from '../setup-credential.ts';
import { readEmptyBody } from './empty-body.ts';

/** `docs/contract.md#setup`. */
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
        summary: 'Create the first API key, with scope admin',
        description:
          'Needs the setup token where SETUP_TOKEN is set; else the bootstrap key where ADMIN_API_KEY is set, ' +
          'except straight from the machine itself, by an IP address, localhost or the name of PUBLIC_URL; else nothing. ' +
          'A web page may call only where it is the own one of the server: the dashboard. No body is needed. ' +
          'Once it is done, every call gets 409, whatever it presents.',
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
