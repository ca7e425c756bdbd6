import { problems } from '@latchkey/shared/errors';
import { type App, listQuery, nextCursor, page } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { toApiKey } from '../api-key.ts';
import { ApiKeySchema } from '../api-key-schema.ts';
import { listApiKeys } from '../api-key-store.ts';
import type { AuthPorts } from '../auth-ports.ts';

/** The contract, section 3. */
const defaultLimit = 500;

/** `GET /api/v1/api-keys`: newest first, revoked and expired ones included. */
export function addListApiKeysRoute(app: App, { db }: AuthPorts): void {
  app.get(
    '/api/v1/api-keys',
    {
      config: { access: 'manage', action: 'api-key.list', limit: 'api' },
      schema: {
        tags: ['API keys'],
        summary: 'List API keys, newest first',
        querystring: Type.Object(listQuery(defaultLimit), { additionalProperties: false }),
        response: {
          200: Type.Object({
            api_keys: Type.Array(ApiKeySchema),
            next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
          }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async (request) => {
      const { limit, after } = page(request.query, defaultLimit);
      const found = await listApiKeys(db, { limit: limit + 1, after });
      const { rows, next } = nextCursor(found, limit, (row) => ({ at: row.created_at, id: row.id }));
      return { api_keys: rows.map(toApiKey), next_cursor: next };
    },
  );
}
