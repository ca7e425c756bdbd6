import { isUuid } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import type { LeaseService } from '../lease-route-options.ts';
import { LeaseSchema, toLeaseView } from '../lease-schema.ts';
import { openLeaseStore } from '../lease-store.ts';

const schema = {
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
  app.get('/api/v1/leases/:id', { config, schema }, async ({ params: { id } }) => {
    const lease = isUuid(id) ? await (await openLeaseStore(db, revocations)).find(id) : null;
    if (!lease) throw new AppError('LEASE_NOT_FOUND');
    return { lease: toLeaseView(lease, clock.now()) };
  });
}
