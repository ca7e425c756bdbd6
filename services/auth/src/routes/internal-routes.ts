import { ApiKeyAnswerSchema, ApiKeyUsesSchema } from '@latchkey/shared/contracts';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import type { OwnedApiKeyVerifier } from '../api-key-verifier.ts';

/** The internal routes of the auth service (`ApiKeyVerifier`), which need `INTERNAL_SECRET`. */
export function addAuthInternalRoutes(app: App, verifier: OwnedApiKeyVerifier): void {
  app.get(
    '/internal/api-keys/:keyHash',
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        params: Type.Object({ keyHash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
        querystring: Type.Object({ wellFormed: Type.Boolean() }),
        response: { 200: ApiKeyAnswerSchema },
      },
    },
    async (request) => ({
      apiKey: await verifier.findApiKey(request.params.keyHash, request.query.wellFormed),
    }),
  );
  app.post(
    '/internal/api-keys/uses',
    {
      config: { access: 'internal' },
      schema: {
        hide: true,
        body: ApiKeyUsesSchema,
        response: { 200: Type.Object({}) },
      },
    },
    async (request) => {
      for (const [id, usedAt] of Object.entries(request.body.uses)) verifier.noteUse(id, usedAt);
      return {};
    },
  );
}
