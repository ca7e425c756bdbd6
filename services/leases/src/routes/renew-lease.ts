import { isUuid } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';
import { type Lease, statusOf } from '../lease.ts';
import { type Acting, actingIn } from '../lease-acting.ts';
import { assertMayPlay, findRenewalRefusal } from '../lease-conditions.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { grantTtlSeconds } from '../lease-rules.ts';
import {
  grantOf,
  grantResponse,
  LeaseIdSchema,
  playerRefusals,
  RequestedTtlSchema,
} from '../lease-schema.ts';

const schema = {
  tags: ['leases'],
  operationId: 'renewLease',
  summary: 'Renew a lease, up to the grace after its expiry',
  body: Type.Object(
    { leaseId: LeaseIdSchema, requestedTtlSeconds: Type.Optional(RequestedTtlSchema) },
    { additionalProperties: false },
  ),
  response: {
    200: grantResponse('The lease, with a new life that counts from now'),
    ...problems(
      ...playerRefusals,
      'LEASE_UNKNOWN',
      'LEASE_REVOKED',
      'LEASE_EXPIRED',
      'VIEWER_BLOCKED',
      'TOKEN_REVOKED',
      'CONTENT_NOT_ENTITLED',
      'CONTENT_NOT_FOUND',
      'LEASE_LIMIT_REACHED',
    ),
  },
};

/** `POST /keys/leases/renew` */
export function addRenewLeaseRoute(app: App, service: LeaseService): void {
  const config = { access: 'leases', contents: 'narrowed', action: 'lease.renew', limit: 'leases' } as const;
  app.post('/keys/leases/renew', { config, schema }, async (request) => {
    const { leaseId, requestedTtlSeconds } = request.body;
    const grant = await renewLease(service, { leaseId, requestedTtlSeconds }, actingIn(request));
    return grantOf(grant, service.clock.now());
  });
}

/** A lease and the time that it was just given. */
interface Grant {
  lease: Lease;
  ttlSeconds: number;
}

/**
 * Renews a lease from now on. A viewer can renew its own leases, an API key any.
 *
 * @throws AppError LEASE_UNKNOWN, LEASE_REVOKED, LEASE_EXPIRED, CONTENT_NOT_ENTITLED, CONTENT_NOT_FOUND; and VIEWER_BLOCKED,
 *   TOKEN_REVOKED or LEASE_LIMIT_REACHED if an expired lease would come back to a viewer who would get no new one
 */
async function renewLease(
  service: LeaseService,
  { leaseId, requestedTtlSeconds }: { leaseId: string; requestedTtlSeconds: number | undefined },
  acting: Acting,
): Promise<Grant> {
  const { findLease, clock, rules } = service;
  const found = isUuid(leaseId) ? await findLease(leaseId) : null;
  const refusal = findRenewalRefusal(found, acting.principal, rules, clock.now());
  if (refusal || !found) throw refusal;
  const { viewerId, contentId } = found;
  await assertMayPlay(service, acting.principal, contentId);

  const ttlSeconds = renewalSeconds(service, found, requestedTtlSeconds);
  const notAfter = found.session?.endsAt;
  const renewal = { leaseId: found.id, viewerId, contentId, ttlMs: ttlSeconds * 1_000, notAfter, acting };
  const isActive = statusOf(found, clock.now()) === 'active';
  const active = isActive ? (await service.acts.write({ kind: 'extend', ...renewal })).lease : null;
  // In a transaction of its own: it locks the viewer alone, and a lock that is shared cannot become one without deadlocks.
  const lease = active ?? (await service.acts.write({ kind: 'revive', ...renewal })).lease;
  if (!lease) throw new AppError('LEASE_REVOKED');
  return { lease, ttlSeconds };
}

/** Of a session at most what is left until its end, in whole seconds. @throws AppError LEASE_EXPIRED at its end */
function renewalSeconds(
  { clock, rules }: LeaseService,
  { session }: Lease,
  requestedTtlSeconds: number | undefined,
): number {
  const ttlSeconds = grantTtlSeconds(rules, requestedTtlSeconds);
  if (!session) return ttlSeconds;
  const leftMs = session.endsAt - clock.now();
  if (leftMs <= 0) throw new AppError('LEASE_EXPIRED');
  return Math.min(ttlSeconds, Math.ceil(leftMs / 1_000));
}
