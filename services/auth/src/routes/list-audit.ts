import { toAuditRecord } from '@latchkey/shared/audit';
import { problems } from '@latchkey/shared/errors';
import { type App, listQuery, nextCursor, page } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { InstantSchema } from '../api-key-schema.ts';
import { listAuditRows } from '../audit-store.ts';
import type { AuthPorts } from '../auth-ports.ts';

/** The contract, section 8. */
const defaultLimit = 100;

const NullableTextSchema = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const AuditSchema = Type.Object({
  id: Type.String(),
  at: InstantSchema,
  actor: Type.Object({ kind: Type.String(), id: NullableTextSchema }),
  action: Type.String(),
  target: NullableTextSchema,
  clientIp: NullableTextSchema,
  requestId: NullableTextSchema,
  outcome: Type.String({ description: '`done` or `refused`.' }),
  code: NullableTextSchema,
});

const QuerySchema = Type.Object(
  {
    ...listQuery(defaultLimit),
    action: Type.Optional(
      Type.String({ pattern: '^[a-z.-]{1,64}$', description: 'Such as api-key.create.' }),
    ),
    actor: Type.Optional(
      // Postgres keeps no NUL in a text, so nobody is called that.
      Type.String({
        pattern: '^[^\\u0000]+$',
        description:
          'The id of an actor (an API key, a viewer), or a kind of actors (such as bootstrap-key).',
      }),
    ),
  },
  { additionalProperties: false },
);

/** `GET /api/v1/audit`: what was done and what was refused. */
export function addListAuditRoute(app: App, { db }: AuthPorts): void {
  app.get(
    '/api/v1/audit',
    {
      config: { access: 'manage', action: 'audit.list', limit: 'api' },
      schema: {
        tags: ['Audit'],
        summary: 'List management actions, done and refused, newest first',
        querystring: QuerySchema,
        response: {
          200: Type.Object({ audit: Type.Array(AuditSchema), next_cursor: NullableTextSchema }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async (request) => {
      const { limit, after } = page(request.query, defaultLimit);
      const { action, actor } = request.query;
      const found = await listAuditRows(db, { before: after?.at ?? null, action, actor, limit: limit + 1 });
      const { rows, next } = nextCursor(found, limit, (row) => ({ at: row.number, id: '' }));
      return { audit: rows.map(toAuditRecord), next_cursor: next };
    },
  );
}
