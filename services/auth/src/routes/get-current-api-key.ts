import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { toApiKey } from '../api-key.ts';
import { CurrentApiKeySchema } from '../api-key-schema.ts';
import { findApiKeyById } from '../api-key-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';

/** `GET /api/v1/api-keys/current`: the caller's own key, for any scope. */
export function addGetCurrentApiKeyRoute(app: App, { db }: AuthRouteOptions): void {
  app.get(
    '/api/v1/api-keys/current',
    {
      config: { access: 'any-api-key', action: 'api-key.current', limit: 'api' },
      schema: {
        tags: ['API keys'],
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
