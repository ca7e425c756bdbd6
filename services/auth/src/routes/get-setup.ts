import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { hasApiKeys } from '../api-key-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { demandedSetupCredential } from '../setup-credential.ts';

const StateSchema = Type.Object({
  setup_required: Type.Boolean({ description: 'Whether no API key is stored yet.' }),
  credential: Type.Enum(['none', 'bootstrap-key', 'setup-token'], {
    description: 'What this caller has to present to POST, as Authorization: Bearer.',
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
