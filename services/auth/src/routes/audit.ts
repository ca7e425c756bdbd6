import { Readable } from 'node:stream';
import { toAuditRecord } from '@latchkey/shared/audit';
import { type AuditDetails, quoteId } from '@latchkey/shared/contracts';
import { encodeCursor } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import {
  type App,
  auditFacts,
  listQuery,
  NextCursorSchema,
  nullableType,
  readInstant,
  readPage,
  sortQuery,
  totalOf,
  validationFailure,
} from '@latchkey/shared/http';
import { redact, redactId } from '@latchkey/shared/log';
import { type Static, type TObject, Type } from '@latchkey/shared/schema';
import type { FastifyReply } from 'fastify';
import { InstantSchema } from '../api-key-schema.ts';
import { type AuditFilter, countAuditRows } from '../audit-store.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { type ExportFormat, exportAudit, exportFormats, exportMediaTypes } from '../export-audit.ts';
import { auditOrders, listAuditRows } from '../list-audit.ts';

const NullableTextSchema = Type.Unsafe<string | null>({ type: ['string', 'null'] });

const AuditSchema = Type.Object(
  {
    id: Type.String(),
    at: InstantSchema,
    actor: Type.Object({ kind: Type.String(), id: NullableTextSchema }),
    person: nullableType<string>({
      type: 'string',
      description: 'The person whom a proxy with sign-on named (DASHBOARD_USER_HEADER). Null for none.',
    }),
    action: Type.String(),
    target: NullableTextSchema,
    clientIp: NullableTextSchema,
    requestId: NullableTextSchema,
    outcome: Type.String({ description: '`done` or `refused`.' }),
    code: NullableTextSchema,
    affected: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'How many leases a revocation by viewer or content revoked. Null for other acts, and until the last of many is written.',
    }),
    count: Type.Integer({
      minimum: 1,
      description:
        'How many refusals the record counts; 1 for everything that was done. Refusals without a valid credential are counted: one ' +
        'record a minute for an address (a /64 of IPv6) and action, with the target, request and code of the first. Refusals of an API ' +
        'key or viewer are counted, too, beyond 1,000 at once and 10 a minute. A process that counts more than 60 addresses or actors ' +
        'in a minute puts the rest of an action into one record without them. The number may be a second late.',
    }),
    details: Type.Unsafe<AuditDetails | null>({
      type: ['object', 'null'],
      properties: {
        reason: { type: 'string', description: 'Of a revocation or a block.' },
        changes: {
          type: 'object',
          description: 'The changes of an edit, by the names of the API. Long values are cut.',
          additionalProperties: { type: 'object', properties: { before: {}, after: {} } },
        },
      },
      description: 'Why it was done and what it changed. Null if the record does not say.',
    }),
  },
  { title: 'AuditRecord' },
);

// Postgres stores no NUL in a text, so no row has one.
const named = (description: string) =>
  Type.String({ pattern: '^[^\\u0000]+$', maxLength: 2_048, description });
const instant = (description: string) =>
  Type.String({ description: `${description} ISO 8601 with its offset, such as 2027-01-31T12:00:00Z.` });

/** The filters of the list and the export of the audit. */
const auditFilterSchemas = {
  action: Type.Optional(Type.String({ pattern: '^[a-z.-]{1,64}$', description: 'Such as api-key.create.' })),
  without: Type.Optional(
    Type.String({
      pattern: '^[a-z.,-]{1,2000}$',
      description: 'Actions that are left out, separated by commas: 50 at most.',
    }),
  ),
  actor: Type.Optional(
    named('The id of an actor (an API key, a viewer), or a kind of actors (such as bootstrap-key).'),
  ),
  outcome: Type.Optional(Type.Enum(['done', 'refused'])),
  target: Type.Optional(
    named(
      'The target of the action, in full and as the audit shows it: an id, or viewer:<id>, content:<id> or both. There, an id with a space, a quote or the like is a JSON string.',
    ),
  ),
  from: Type.Optional(instant('At this time or later.')),
  to: Type.Optional(instant('Before this time.')),
};

/**
 * Hides credentials in the filter as the audit hides them: otherwise a search for a raw key would find no row.
 *
 * @throws AppError VALIDATION_FAILED for a time that cannot be read
 */
function readAuditFilter(query: Static<TObject<typeof auditFilterSchemas>>): AuditFilter {
  const { action, without, actor, outcome, target, from, to } = query;
  return {
    action,
    withoutActions: without === undefined ? undefined : readActions(without),
    actor: actor === undefined ? undefined : redactId(actor),
    outcome,
    target: target === undefined ? undefined : redactId(target),
    from: from === undefined ? undefined : readInstant(from, '/from'),
    to: to === undefined ? undefined : readInstant(to, '/to'),
  };
}

/** More than the audit has. */
const mostActions = 50;

/** @throws AppError VALIDATION_FAILED for more than 50 */
function readActions(without: string): string[] {
  const actions = without.split(',').filter((action) => action !== '');
  if (actions.length > mostActions) throw validationFailure('/without', `must have at most ${mostActions}`);
  return actions;
}

/** `docs/reference/contract.md#audit`. */
const defaultLimit = 100;

const ListQuerySchema = Type.Object(
  { ...listQuery(defaultLimit), ...sortQuery(auditOrders), ...auditFilterSchemas },
  { additionalProperties: false },
);

/** `GET /api/v1/audit`: management actions, done and refused. */
export function addListAuditRoute(app: App, { db, refusals }: AuthRouteOptions): void {
  app.get(
    '/api/v1/audit',
    {
      config: { access: 'manage', contents: 'whole-server', action: 'audit.list', limit: 'api' },
      schema: {
        tags: ['Audit'],
        operationId: 'listAuditRecords',
        summary: 'List management actions, done and refused, newest first',
        description:
          'One record counts several refusals without a valid credential: see `count`. The settings ' +
          'AUDIT_KEEP_ACTS_DAYS, AUDIT_KEEP_REFUSALS_DAYS and AUDIT_KEEP_STRANGERS_DAYS set how long records are kept. Raw API keys and ' +
          'tokens that a caller put into an id are shown as `***`, and are found by that. Reading leaves no record. With several filters or `without`, ' +
          'a page may be shorter than its limit, or empty, although next_cursor names another page.',
        querystring: ListQuerySchema,
        response: {
          200: Type.Object({
            audit: Type.Array(AuditSchema),
            next_cursor: NextCursorSchema,
            total: nullableType<number>({
              type: 'integer',
              description:
                'How many match, on all pages. Counted up to 10,000. Null with several filters or `without`, unless all are on this page.',
            }),
          }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async (request) => {
      const { limit, after, sort, order } = readPage(request.query, defaultLimit, auditOrders);
      const filter = readAuditFilter(request.query);
      await refusals.settle();
      const { rows, next } = await listAuditRows(db, filter, {
        after: after?.at ?? null,
        limit,
        order: sort,
      });
      const cursor = next === null ? null : encodeCursor({ at: next, id: '' }, order);
      const count = () => countAuditRows(db, filter);
      const total = await totalOf({ shown: rows.length, after, next: cursor }, count);
      return { audit: rows.map(toAuditRecord), next_cursor: cursor, total };
    },
  );
}

const exportPath = '/api/v1/audit/export';
const exportConfig = {
  access: 'manage',
  contents: 'whole-server',
  action: 'audit.export',
  limit: 'api',
} as const;

const ExportQuerySchema = Type.Object(
  { format: Type.Enum([...exportFormats]), ...auditFilterSchemas },
  { additionalProperties: false },
);

/** `GET /api/v1/audit/export`: the audit rows that match the filters, as a file. */
export function addExportAuditRoute(app: App, { db, clock, ledger, refusals }: AuthRouteOptions): void {
  app.get(
    exportPath,
    {
      exposeHeadRoute: false,
      config: exportConfig,
      schema: {
        tags: ['Audit'],
        operationId: 'exportAuditRecords',
        summary: 'Export management actions, done and refused, newest first',
        description:
          'Streams everything that matches. CSV (RFC 4180) has its column names in the first line, and an apostrophe before ' +
          'each cell that a spreadsheet would run as a formula. JSON Lines have one record of the list in each line. An answer ' +
          'that breaks off is incomplete. The export is audited with its format and filters, and is its own first line if it ' +
          'matches them.',
        querystring: ExportQuerySchema,
        response: {
          200: {
            description: 'The file',
            content: {
              'text/csv': { schema: Type.String() },
              'application/x-ndjson': { schema: Type.String() },
            },
          },
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async (request, reply) => {
      const { format } = request.query;
      const filter = readAuditFilter(request.query);
      await refusals.settle();
      // The export itself is audited, before its first line is sent.
      await ledger.write(({ audit }) =>
        audit({
          ...auditFacts(request),
          action: exportConfig.action,
          target: describeQuery(request.query),
          outcome: 'done',
          code: null,
        }),
      );
      return setHeaders(reply, format, clock.now()).send(Readable.from(exportAudit(db, filter, format)));
    },
  );
  // To answer HEAD, Node would read the stream to its end. Its length is not known before.
  app.head(
    exportPath,
    { config: exportConfig, schema: { hide: true, querystring: ExportQuerySchema } },
    ({ query }, reply) => setHeaders(reply, query.format, clock.now()).send(null),
  );
}

/** Such as `format=csv outcome=refused`. */
function describeQuery(query: Record<string, unknown>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${quoteId(redact(String(value)))}`)
    .join(' ');
}

function setHeaders(reply: FastifyReply, format: ExportFormat, now: number): FastifyReply {
  const day = new Date(now).toISOString().slice(0, 10);
  return reply.headers({
    'content-type': exportMediaTypes[format],
    'content-disposition': `attachment; filename="latchkey-audit-${day}.${format}"`,
    // Names in the file are chosen by callers, so browsers must not render it as a page.
    'x-content-type-options': 'nosniff',
  });
}
