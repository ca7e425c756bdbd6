import { contentsOf, isEntitled, isUuid, NotACredential } from '@latchkey/shared/contracts';
import { encodeCursor, namedBy } from '@latchkey/shared/db';
import { AppError, problems } from '@latchkey/shared/errors';
import {
  type App,
  listQuery,
  minimalWasApplied,
  NextCursorSchema,
  nullableType,
  prefersMinimal,
  readPage,
  sortQuery,
  totalOf,
  validationFailure,
} from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { leaseStatuses } from '../lease.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { isByExpiry, leaseOrders } from '../lease-row.ts';
import { LeaseSchema, toLeaseView } from '../lease-schema.ts';
import { LeaseStore } from '../lease-store.ts';
import { countListed, listLeases } from '../list-leases.ts';

const defaultLimit = 100;

const listSchema = {
  tags: ['leases'],
  operationId: 'listLeases',
  summary: 'List leases, newest first',
  description:
    'By `expiresAt` only active leases are listed (state=active), of all viewers and contents. While the rows of a large revocation are ' +
    'being written, a page of one state may be shorter than its limit although next_cursor names another page. With ' +
    '`Prefer: return=minimal` nothing is counted: total_active and total are missing. Counting a million takes a while.',
  headers: Type.Object({
    prefer: Type.Optional(Type.String({ description: '`return=minimal`: without total_active and total.' })),
  }),
  querystring: Type.Object(
    {
      viewerId: Type.Optional(Type.String({ minLength: 1, ...NotACredential })),
      contentId: Type.Optional(Type.String({ minLength: 1, ...NotACredential })),
      state: Type.Optional(Type.Enum([...leaseStatuses])),
      ...listQuery(defaultLimit),
      ...sortQuery(leaseOrders),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({
      leases: Type.Array(LeaseSchema),
      next_cursor: NextCursorSchema,
      total_active: Type.Optional(
        Type.Integer({ description: 'Active leases of the requested viewer and content.' }),
      ),
      total: Type.Optional(
        nullableType<number>({
          type: 'integer',
          description:
            'How many match, on all pages. Active ones are counted exactly, others up to 10,000. Null for other leases of both a ' +
            'viewer and a content, unless all are on this page.',
        }),
      ),
    }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

/** `GET /api/v1/leases` */
export function addListLeasesRoute(app: App, service: LeaseService): void {
  const { db, clock } = service;
  const config = { access: 'manage', contents: 'narrowed', action: 'lease.list', limit: 'api' } as const;
  app.get('/api/v1/leases', { config, schema: listSchema }, async ({ query, headers, principal }, reply) => {
    const { limit, after, sort, order } = readPage(query, defaultLimit, leaseOrders);
    const within = namedBy(db, contentsOf(principal));
    const selector = { viewerId: query.viewerId ?? null, contentId: query.contentId ?? null, within };
    const now = clock.now();
    const filter = { ...selector, state: query.state ?? null, order: sort };
    const isOfAll = selector.viewerId === null && selector.contentId === null;
    if (isByExpiry(sort) && !(filter.state === 'active' && isOfAll))
      throw validationFailure('/sort', 'expiresAt goes with state=active, without viewerId and contentId');
    const { leases, next } = await listLeases(service, filter, now, limit, after);
    const cursor = next && encodeCursor(next, order);
    const page = { leases: leases.map((lease) => toLeaseView(lease, now)), next_cursor: cursor };
    if (prefersMinimal(headers)) {
      reply.headers(minimalWasApplied);
      return page;
    }
    const active = await new LeaseStore(db).countActive(selector, now);
    const total = await totalOf({ shown: leases.length, after, next: cursor }, async () =>
      filter.state === 'active' ? active : countListed(db, filter, now),
    );
    return { ...page, total_active: active, total };
  });
}

const lookUpSchema = {
  tags: ['leases'],
  operationId: 'getLease',
  summary: 'Look a lease up',
  params: Type.Object({ id: Type.String() }),
  response: {
    200: Type.Object({ lease: LeaseSchema }),
    ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'LEASE_NOT_FOUND'),
  },
};

/** `GET /api/v1/leases/:id` */
export function addGetLeaseRoute(app: App, service: LeaseService): void {
  const { db, clock } = service;
  const config = { access: 'manage', contents: 'narrowed', action: 'lease.read', limit: 'api' } as const;
  app.get('/api/v1/leases/:id', { config, schema: lookUpSchema }, async ({ params: { id }, principal }) => {
    const lease = isUuid(id) ? await new LeaseStore(db).find(id) : null;
    if (!lease || (principal && !isEntitled(principal, lease.contentId)))
      throw new AppError('LEASE_NOT_FOUND');
    return { lease: toLeaseView(lease, clock.now()) };
  });
}
