import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import type { LeaseService } from '../lease-route-options.ts';
import { grantOf, grantResponse, LeaseIdSchema, RequestedTtlSchema } from '../lease-schema.ts';
import { renewLease } from '../renew-lease.ts';
import { actingIn } from './acting.ts';

const schema = {
  tags: ['leases'],
  summary: 'Renew a lease, up to the grace after its expiry',
  body: Type.Object(
    { leaseId: LeaseIdSchema, requestedTtlSeconds: Type.Optional(RequestedTtlSchema) },
    { additionalProperties: false },
  ),
  response: {
    200: grantResponse('The lease, with a new life that counts from now'),
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_TOKEN',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'LEASE_UNKNOWN',
      'LEASE_REVOKED',
      'LEASE_EXPIRED',
      'TOKEN_REVOKED',
      'CONTENT_NOT_ENTITLED',
      'CONTENT_NOT_FOUND',
      'LEASE_LIMIT_REACHED',
    ),
  },
};

/** `POST /keys/leases/renew` */
export function addRenewLeaseRoute(app: App, service: LeaseService): void {
  const config = { access: 'leases', action: 'lease.renew' } as const;
  app.post('/keys/leases/renew', { config, schema }, async (request) => {
    const { leaseId, requestedTtlSeconds } = request.body;
    const grant = await renewLease(service, { leaseId, requestedTtlSeconds }, actingIn(request));
    return grantOf(grant, service.clock.now());
  });
}
