import { assertNotLimited } from '@latchkey/shared/auth';
import { ContentIdSchema, contentsOf, isEntitled } from '@latchkey/shared/contracts';
import { namedBy } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import { type App, NextCursorSchema, nullableType } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { actingIn, auditRevocation } from '../lease-acting.ts';
import { lockForRevocation } from '../lease-locks.ts';
import type { LeaseRouteOptions, LeaseService } from '../lease-route-options.ts';
import { ViewerIdSchema } from '../lease-schema.ts';
import { formatMarkId, markNotFound, parseMarkId } from '../mark.ts';
import { MarkStore } from '../mark-store.ts';
import { foreignCursor, markedPageQuery, toMarkedPage } from './marked-pages.ts';

const defaultLimit = 100;

const NullableTextSchema = nullableType<string>({ type: 'string' });

const MarkSchema = Type.Object(
  {
    id: Type.String(),
    viewerId: NullableTextSchema,
    contentId: NullableTextSchema,
    markedAt: Type.String({ format: 'date-time' }),
    lapsesAt: nullableType<string>({
      type: 'string',
      format: 'date-time',
      description:
        'From then on no token that is accepted can be older than it, and it is removed. Null with AUTH_JWT_REQUIRE_IAT=false: it is kept until it is lifted.',
    }),
  },
  { title: 'Mark' },
);

const listSchema = {
  tags: ['leases'],
  operationId: 'listMarks',
  summary: 'List marks, newest first',
  description:
    'A mark refuses the tokens that a viewer was issued before a revocation. One without a viewer holds for all viewers of the content, one without a content for all contents.',
  querystring: Type.Object(
    {
      viewerId: Type.Optional(ViewerIdSchema),
      contentId: Type.Optional(ContentIdSchema),
      ...markedPageQuery(defaultLimit),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({ marks: Type.Array(MarkSchema), next_cursor: NextCursorSchema }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

/** `GET /api/v1/marks` */
export function addListMarksRoute(
  app: App,
  { db, marksKeptMs }: Pick<LeaseRouteOptions, 'db' | 'marksKeptMs'>,
): void {
  const config = { access: 'manage', contents: 'narrowed', action: 'mark.list', limit: 'api' } as const;
  app.get('/api/v1/marks', { config, schema: listSchema }, async ({ query, principal }) => {
    const within = namedBy(db, contentsOf(principal));
    const { viewerId = null, contentId = null, limit = defaultLimit, cursor } = query;
    const after = cursor === undefined ? null : parseMarkId(cursor);
    if (cursor !== undefined && !after) throw foreignCursor();
    const found = await new MarkStore(db).list({ viewerId, contentId }, { limit: limit + 1, after, within });
    const { rows, next } = toMarkedPage(found, limit, formatMarkId);
    return {
      marks: rows.map((mark) => ({
        id: formatMarkId(mark),
        viewerId: mark.viewerId,
        contentId: mark.contentId,
        markedAt: new Date(mark.markedAt).toISOString(),
        lapsesAt: marksKeptMs === null ? null : new Date(mark.markedAt + marksKeptMs).toISOString(),
      })),
      next_cursor: next,
    };
  });
}

const liftSchema = {
  tags: ['leases'],
  operationId: 'liftMark',
  summary: 'Lift a mark',
  description:
    'Tokens from before the revocation are accepted again, as far as no other mark holds for them. Leases that were revoked stay so: a player asks for a new one.',
  params: Type.Object({ id: Type.String() }),
  response: {
    204: Type.Null({ description: 'Done.' }),
    ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'NOT_FOUND'),
  },
};

/** `DELETE /api/v1/marks/:id` */
export function addLiftMarkRoute(app: App, { ledger }: Pick<LeaseService, 'ledger'>): void {
  const config = { access: 'manage', contents: 'narrowed', action: 'mark.lift', limit: 'api' } as const;
  app.delete('/api/v1/marks/:id', { config, schema: liftSchema }, async (request, reply) => {
    const mark = parseMarkId(request.params.id);
    if (!mark) throw markNotFound();
    const { viewerId, contentId } = mark;
    const acting = actingIn(request);
    if (contentId === null) assertNotLimited(acting.principal, 'manage');
    else if (!isEntitled(acting.principal, contentId)) throw markNotFound();
    await ledger.write(async (entry) => {
      await lockForRevocation(entry.tx, mark);
      if (!(await new MarkStore(entry.tx).lift(mark))) throw markNotFound();
      await auditRevocation(entry, acting, 'mark.lift', { leaseId: null, viewerId, contentId });
      // The caches hold the time of the mark. Dropping the states of leases as well costs a read each.
      await entry.change({ kind: 'leases', leaseId: null, viewerId, contentId });
    });
    return reply.code(204).send(null);
  });
}
