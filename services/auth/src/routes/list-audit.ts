import { toAuditRecord } from '@latchkey/shared/audit';
import { problems } from '@latchkey/shared/errors';
import { type App, listQuery, nextCursor, page } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { AuditSchema, auditFilterSchemas, readAuditFilter } from '../audit-schema.ts';
import { listAuditRows } from '../audit-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';

/** `docs/contract.md#audit`. */
const defaultLimit = 100;

const QuerySchema = Type.Object(
  { ...listQuery(defaultLimit), ...auditFilterSchemas },
  { additionalProperties: false },
);

/** `GET /api/v1/audit`: management actions, done and refused. */
export function addListAuditRoute(app: App, { db, refusals }: AuthRouteOptions): void {
  app.get(
    '/api/v1/audit',
    {
      config: { access: 'manage', action: 'audit.list', limit: 'api' },
      schema: {
        tags: ['Audit'],
        summary: 'List management actions, done and refused, newest first',
        description:
          'A refusal without a valid credential is counted in a record that stands for several: see `count`. The settings ' +
          'AUDIT_KEEP_ACTS_DAYS, AUDIT_KEEP_REFUSALS_DAYS and AUDIT_KEEP_STRANGERS_DAYS say how long records are kept. Raw API keys and ' +
          'tokens that a caller put into an id are shown as `***`, and are found by that. Reading leaves no record.',
        querystring: QuerySchema,
        response: {
          200: Type.Object({
            audit: Type.Array(AuditSchema),
            next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
          }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async (request) => {
      const { limit, after } = page(request.query, defaultLimit);
      const filter = readAuditFilter(request.query);
      await refusals.settle();
      const found = await listAuditRows(db, filter, { before: after?.at ?? null, limit: limit + 1 });
      const { rows, next } = nextCursor(found, limit, (row) => ({ at: row.number, id: '' }));
      return { audit: rows.map(toAuditRecord), next_cursor: next };
    },
  );
}
