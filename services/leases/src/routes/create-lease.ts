import { ContentIdSchema } from '@latchkey/shared/contracts';
import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { Type } from 'typebox';
import type { Lease } from '../lease.ts';
import { type Acting, actingIn, auditManagement } from '../lease-acting.ts';
import { assertContentOpen, assertEntitled, assertUnmarked, makeRoom } from '../lease-conditions.ts';
import { lockForCreation } from '../lease-locks.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { grantTtlSeconds, lastRenewableExpiry } from '../lease-rules.ts';
import {
  DeviceIdSchema,
  grantOf,
  grantResponse,
  leaseholderOf,
  RequestedTtlSchema,
  ViewerIdSchema,
} from '../lease-schema.ts';
import { openLeaseStore } from '../lease-store.ts';
import type { LedgerEntry } from '../own-tables.ts';
import { RevocationStore } from '../revocation-store.ts';

const schema = {
  tags: ['leases'],
  summary: 'Create a lease, or renew the active one of the same viewer, content and device',
  description:
    'Without a deviceId each call is a playback of its own and makes a new lease, which counts for LEASE_MAX_PER_VIEWER.',
  body: Type.Object(
    {
      contentId: ContentIdSchema,
      requestedTtlSeconds: Type.Optional(RequestedTtlSchema),
      deviceId: Type.Optional(DeviceIdSchema),
      viewerId: Type.Optional({ ...ViewerIdSchema, description: 'From an API key only, and then required.' }),
    },
    { additionalProperties: false },
  ),
  response: {
    200: grantResponse('The active lease of the same viewer, content and device, renewed'),
    201: grantResponse('A new lease'),
    ...problems(
      'VALIDATION_FAILED',
      'UNAUTHENTICATED',
      'INVALID_TOKEN',
      'INVALID_API_KEY',
      'INSUFFICIENT_SCOPE',
      'CONTENT_NOT_ENTITLED',
      'TOKEN_REVOKED',
      'CONTENT_NOT_FOUND',
      'LEASE_LIMIT_REACHED',
    ),
  },
};

/** `POST /keys/leases` */
export function addCreateLeaseRoute(app: App, service: LeaseService): void {
  const config = { access: 'leases', action: 'lease.create', limit: 'leases' } as const;
  app.post('/keys/leases', { config, schema }, async (request, reply) => {
    const acting = actingIn(request);
    const { contentId, requestedTtlSeconds, deviceId = null, viewerId } = request.body;
    const holder = leaseholderOf(acting.principal, viewerId);
    const asked = { viewerId: holder, contentId, deviceId, requestedTtlSeconds };
    const grant = await createLease(service, asked, acting);
    return reply.code(grant.created ? 201 : 200).send(grantOf(grant, service.clock.now()));
  });
}

interface LeaseRequest {
  viewerId: string;
  contentId: string;
  deviceId: string | null;
  requestedTtlSeconds: number | undefined;
}

/** A lease and the time that it was just given. */
export interface Grant {
  lease: Lease;
  ttlSeconds: number;
}

/**
 * Gives the viewer a lease for the content: a new one, or the active one of the same device, renewed. Without a `deviceId`
 * it is always a new one, because two players cannot be distinguished.
 *
 * @throws AppError CONTENT_NOT_ENTITLED, CONTENT_NOT_FOUND, TOKEN_REVOKED, LEASE_LIMIT_REACHED
 */
async function createLease(
  service: LeaseService,
  request: LeaseRequest,
  acting: Acting,
): Promise<Grant & { created: boolean }> {
  const { viewerId, contentId } = request;
  assertEntitled(acting.principal, contentId);
  // Before the transaction, because the answer may come from another process.
  await assertContentOpen(service, contentId);

  return service.ledger.write(async (entry) => {
    await lockForCreation(entry.tx, viewerId, contentId);
    await assertUnmarked(entry.tx, acting.principal, request);
    // Read after the lock, so that it is not earlier than a revocation that held the lock.
    const now = service.clock.now();
    const ttlSeconds = grantTtlSeconds(service.rules, request.requestedTtlSeconds);
    const life = { now, expiresAt: now + ttlSeconds * 1_000 };
    const renewed = await renewOfSameDevice(service, entry, request, life);
    if (renewed) {
      await auditManagement(entry, acting, 'lease.create', renewed.id);
      entry.renewed(renewed);
      return { lease: renewed, ttlSeconds, created: false };
    }
    await makeRoom(entry, service, viewerId, acting);
    const lease = await insertLease(service, entry, request, life);
    await auditManagement(entry, acting, 'lease.create', lease.id);
    entry.created(lease);
    return { lease, ttlSeconds, created: true };
  });
}

interface Life {
  now: number;
  expiresAt: number;
}

async function renewOfSameDevice(
  { rules, revocations }: LeaseService,
  { tx }: LedgerEntry,
  { deviceId, ...request }: LeaseRequest,
  { now, expiresAt }: Life,
): Promise<Lease | null> {
  if (deviceId === null) return null;
  const store = await openLeaseStore(tx, revocations);
  const active = await store.findReusable({ ...request, deviceId }, now);
  const renewal = { at: now, expiresAt, expiringAfter: lastRenewableExpiry(rules, now) };
  // Also null if the viewer released it in between.
  return active && store.renew(active.id, renewal);
}

async function insertLease(
  { randomId, revocations }: LeaseService,
  { tx }: LedgerEntry,
  { viewerId, contentId, deviceId }: LeaseRequest,
  { now, expiresAt }: Life,
): Promise<Lease> {
  const lease: Lease = {
    id: randomId(),
    viewerId,
    contentId,
    deviceId,
    createdAt: now,
    renewedAt: null,
    expiresAt,
    revokedAt: null,
    revokedBy: null,
    reason: null,
  };
  if (await revocations.isThere(tx)) {
    // A revocation covers what was created up to its time: in the same millisecond, or by a clock that is ahead of this one.
    const coveredUpTo = await new RevocationStore(tx).findBound(viewerId, contentId);
    lease.createdAt = Math.max(now, coveredUpTo + 1);
  }
  await (await openLeaseStore(tx, revocations)).insert(lease);
  return lease;
}
