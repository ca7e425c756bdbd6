import { isUuid } from '@latchkey/shared/contracts';
import { encodeCursor } from '@latchkey/shared/db';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, listQuery, page } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { leaseStatuses } from '../lease.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { LeaseSchema, toLeaseView } from '../lease-schema.ts';
import { openLeaseStore } from '../lease-store.ts';
import { listLeases } from '../list-leases.ts';

const defaultLimit = 100;

const listSchema = {
  tags: ['leases'],
  summary: 'List leases, newest first',
  description:
    'While the rows of a large revocation are being written, a page of one state may be shorter than its limit though next_cursor names another page.',
  querystring: Type.Object(
    {
      viewerId: Type.Optional(Type.String({ minLength: 1 })),
      contentId: Type.Optional(Type.String({ minLength: 1 })),
      state: Type.Optional(Type.Enum([...leaseStatuses])),
      ...listQuery(defaultLimit),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({
      leases: Type.Array(LeaseSchema),
      next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      total_active: Type.Integer({
        description: 'Active leases of the requested viewer and content.',
      }),
    }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

/** `GET /api/v1/leases` */
export function addListLeasesRoute(app: App, service: LeaseService): void {
  const { db, clock, revocations } = service;
  const config = { access: 'manage', action: 'lease.list', limit: 'api' } as const;
  app.get('/api/v1/leases', { config, schema: listSchema }, async ({ query }) => {
    const { limit, after } = page(query, defaultLimit);
    const selector = { viewerId: query.viewerId ?? null, contentId: query.contentId ?? null };
    const now = clock.now();
    const filter = { ...selector, state: query.state ?? null };
    const { leases, next } = await listLeases(service, filter, now, limit, after);
    const store = await openLeaseStore(db, revocations);
    return {
      leases: leases.map((lease) => toLeaseView(lease, now)),
      next_cursor: next && encodeCursor(next),
      total_active: await store.countActive(selector, now),
    };
  });
}

const lookUpSchema = {
  tags: ['leases'],
  summary: 'Look a lease up',
  params: Type.Object({ id: Type.String() }),
  response: {
    200: Type.Object({ lease: LeaseSchema }),
    ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'LEASE_NOT_FOUND'),
  },
};

/** `GET /api/v1/leases/:id` */
export function addGetLeaseRoute(app: App, { db, clock, revocations }: LeaseService): void {
  const config = { access: 'manage', action: 'lease.read', limit: 'api' } as const;
  app.get('/api/v1/leases/:id', { config, schema: lookUpSchema }, async ({ params: { id } }) => {
    const lease = isUuid(id) ? await (await openLeaseStore(db, revocations)).find(id) : null;
    if (!lease) throw new AppError('LEASE_NOT_FOUND');
    return { lease: toLeaseView(lease, clock.now()) };
  });
}
