import { problems } from '@latchkey/shared/errors';
import { type App, listQuery, nextCursor, page } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { leaseStates } from '../lease.ts';
import type { LeasePorts } from '../lease-ports.ts';
import { LeaseSchema, toLeaseView } from '../lease-schema.ts';
import { LeaseStore } from '../lease-store.ts';

const defaultLimit = 100;

const schema = {
  tags: ['leases'],
  summary: 'List leases, newest first',
  querystring: Type.Object(
    {
      viewerId: Type.Optional(Type.String({ minLength: 1 })),
      contentId: Type.Optional(Type.String({ minLength: 1 })),
      state: Type.Optional(Type.Enum([...leaseStates])),
      ...listQuery(defaultLimit),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({
      leases: Type.Array(LeaseSchema),
      next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      total_active: Type.Integer({
        description: 'Active leases of the viewer and content that were asked for.',
      }),
    }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

/** `GET /api/v1/leases` */
export function addListLeasesRoute(app: App, { db, clock }: LeasePorts): void {
  const store = new LeaseStore(db);
  const config = { access: 'manage', action: 'lease.list', limit: 'api' } as const;
  app.get('/api/v1/leases', { config, schema }, async ({ query }) => {
    const { limit, after } = page(query, defaultLimit);
    const selector = { viewerId: query.viewerId ?? null, contentId: query.contentId ?? null };
    const now = clock.now();
    // One more than is shown tells whether there is another page.
    const found = await store.list({ ...selector, state: query.state ?? null }, now, limit + 1, after);
    const { rows, next } = nextCursor(found, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    return {
      leases: rows.map((lease) => toLeaseView(lease, now)),
      next_cursor: next,
      total_active: await store.countActive(selector, now),
    };
  });
}
