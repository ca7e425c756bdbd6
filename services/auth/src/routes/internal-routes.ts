import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import type { OwnedApiKeyVerifier } from '../api-key-verifier.ts';

const ApiKeyStateSchema = Type.Object({
  id: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  scope: Type.String(),
  expiresAt: Type.Union([Type.Integer(), Type.Null()]),
  revokedAt: Type.Union([Type.Integer(), Type.Null()]),
});

/** What neighbours ask of the auth service (`ApiKeyVerifier`), behind the secret that they share. */
export function addAuthInternalRoutes(app: App, verifier: OwnedApiKeyVerifier): void {
  app.get(
    '/internal/api-keys/:keyHash',
    {
      config: { access: 'open' },
      schema: {
        hide: true,
        params: Type.Object({ keyHash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
        querystring: Type.Object({ wellFormed: Type.Boolean() }),
        response: { 200: Type.Object({ apiKey: Type.Union([ApiKeyStateSchema, Type.Null()]) }) },
      },
    },
    async (request) => ({
      apiKey: await verifier.findApiKey(request.params.keyHash, request.query.wellFormed),
    }),
  );
  app.post(
    '/internal/api-keys/uses',
    {
      config: { access: 'open' },
      schema: {
        hide: true,
        body: Type.Object({ uses: Type.Record(Type.String(), Type.Integer({ minimum: 0 })) }),
        response: { 200: Type.Object({}) },
      },
    },
    async (request) => {
      for (const [id, usedAt] of Object.entries(request.body.uses)) verifier.noteUse(id, usedAt);
      return {};
    },
  );
}
