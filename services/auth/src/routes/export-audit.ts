import { Readable } from 'node:stream';
import { problems } from '@latchkey/shared/errors';
import { type App, auditFacts } from '@latchkey/shared/http';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { auditFilterSchemas, readAuditFilter } from '../audit-schema.ts';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { type ExportFormat, exportAudit, exportFormats, exportMediaTypes } from '../export-audit.ts';

const path = '/api/v1/audit/export';
const config = { access: 'manage', action: 'audit.export', limit: 'api' } as const;

const QuerySchema = Type.Object(
  { format: Type.Enum([...exportFormats]), ...auditFilterSchemas },
  { additionalProperties: false },
);

/** `GET /api/v1/audit/export`: the audit rows that match the filters, as a file. */
export function addExportAuditRoute(app: App, { db, clock, ledger, refusals }: AuthRouteOptions): void {
  app.get(
    path,
    {
      exposeHeadRoute: false,
      config,
      schema: {
        tags: ['Audit'],
        summary: 'Export management actions, done and refused, newest first',
        description:
          'Streams everything that matches. CSV (RFC 4180) has its column names in the first line, and an apostrophe before ' +
          'whatever a spreadsheet would take for a formula; JSON Lines have one record of the list in each line. ' +
          'An answer that breaks off before its end is not the whole. The export leaves a record itself, which names its format and ' +
          'filters, and is the first line where they match it.',
        querystring: QuerySchema,
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
          action: config.action,
          target: describeQuery(request.query),
          outcome: 'done',
          code: null,
        }),
      );
      return setHeaders(reply, format, clock.now()).send(Readable.from(exportAudit(db, filter, format)));
    },
  );
  // To answer HEAD, Node would read the stream to its end. Its length is not known before.
  app.head(path, { config, schema: { hide: true, querystring: QuerySchema } }, ({ query }, reply) =>
    setHeaders(reply, query.format, clock.now()).send(null),
  );
}

/** Such as `format=csv outcome=refused`. */
function describeQuery(query: Record<string, unknown>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${String(value)}`)
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
