import { isUuid, type Principal, viewerIdOf } from '@latchkey/shared/contracts';
import { AppError, problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { type Lease, statusOf } from '../lease.ts';
import { type Acting, actingIn, auditManagement } from '../lease-acting.ts';
import { assertContentOpen, assertEntitled, assertUnmarked, makeRoom } from '../lease-conditions.ts';
import type { LeaseEntry } from '../lease-ledger.ts';
import { lockForCreation, lockForRenewal } from '../lease-locks.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { grantTtlSeconds, lastRenewableExpiry } from '../lease-rules.ts';
import { grantOf, grantResponse, LeaseIdSchema, RequestedTtlSchema } from '../lease-schema.ts';
import { openLeaseStore } from '../lease-store.ts';
import type { Grant } from './create-lease.ts';

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

/**
 * Renews a lease from now on. A viewer can renew its own leases, an API key any.
 *
 * @throws AppError LEASE_UNKNOWN, LEASE_REVOKED, LEASE_EXPIRED, CONTENT_NOT_ENTITLED, CONTENT_NOT_FOUND; and TOKEN_REVOKED
 *   or LEASE_LIMIT_REACHED if an expired lease would come back to a viewer who would get no new one
 */
async function renewLease(
  service: LeaseService,
  { leaseId, requestedTtlSeconds }: { leaseId: string; requestedTtlSeconds: number | undefined },
  acting: Acting,
): Promise<Grant> {
  const { db, revocations, clock, rules } = service;
  const found = isUuid(leaseId) ? await (await openLeaseStore(db, revocations)).find(leaseId) : null;
  const lease = asRenewable(found, acting.principal, service, clock.now());
  assertEntitled(acting.principal, lease.contentId);
  // Before the transaction, because the answer may come from another process.
  await assertContentOpen(service, lease.contentId);

  const ttlSeconds = grantTtlSeconds(rules, requestedTtlSeconds);
  const write = (extend: typeof extendActive | typeof revive) =>
    service.ledger.write(async (entry) => {
      const renewed = await extend(service, entry, lease, ttlSeconds * 1_000, acting);
      if (!renewed) return null;
      await auditManagement(entry, acting, 'lease.renew', renewed.id);
      entry.renewed(renewed);
      return renewed;
    });
  const active = statusOf(lease, clock.now()) === 'active' ? await write(extendActive) : null;
  // In a transaction of its own: it locks the viewer alone, and a lock that is shared cannot become one without deadlocks.
  const renewed = active ?? (await write(revive));
  if (!renewed) throw new AppError('LEASE_REVOKED');
  return { lease: renewed, ttlSeconds };
}

/** @returns null if the lease is not active any more */
async function extendActive(
  { clock, revocations }: LeaseService,
  { tx }: LeaseEntry,
  { id, viewerId, contentId }: Lease,
  ttlMs: number,
): Promise<Lease | null> {
  await lockForRenewal(tx, viewerId, contentId);
  const now = clock.now();
  const store = await openLeaseStore(tx, revocations);
  return store.renew(id, { at: now, expiresAt: now + ttlMs, expiringAfter: now });
}

/**
 * Brings an expired lease back within its grace. It did not count towards the limit and now does, like a new one; and like
 * a new one it is refused to a token from before a revocation.
 *
 * @returns null if a revocation is newer than the lease, although the lease had ended before it
 */
async function revive(
  service: LeaseService,
  entry: LeaseEntry,
  { id, viewerId, contentId }: Lease,
  ttlMs: number,
  acting: Acting,
): Promise<Lease | null> {
  const { clock, revocations, rules } = service;
  const { tx } = entry;
  await lockForCreation(tx, viewerId, contentId);
  const now = clock.now();
  const store = await openLeaseStore(tx, revocations);
  const latest = asRenewable(await store.find(id), acting.principal, service, now);
  if (statusOf(latest, now) === 'expired') {
    await assertUnmarked(tx, acting.principal, latest);
    await makeRoom(entry, service, viewerId, acting);
  }
  return store.renew(id, {
    at: now,
    expiresAt: now + ttlMs,
    expiringAfter: lastRenewableExpiry(rules, now),
  });
}

/** @returns the lease, if the principal may renew it at `now` */
function asRenewable(lease: Lease | null, principal: Principal, { rules }: LeaseService, now: number): Lease {
  const mine = lease !== null && (principal.kind === 'api-key' || lease.viewerId === viewerIdOf(principal));
  if (!mine) throw new AppError('LEASE_UNKNOWN');
  if (lease.revokedAt !== null) throw new AppError('LEASE_REVOKED');
  if (lease.expiresAt <= lastRenewableExpiry(rules, now)) throw new AppError('LEASE_EXPIRED');
  return lease;
}
