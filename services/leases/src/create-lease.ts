import { isHeldByMark, type Principal } from '@latchkey/shared/auth';
import type { Transaction } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import { assertContentOpen, assertEntitled } from './assert-entitled.ts';
import type { Lease } from './lease.ts';
import { type Acting, auditManagement, noticeLease } from './lease-acting.ts';
import { lockForCreation } from './lease-locks.ts';
import type { LeasePorts } from './lease-ports.ts';
import { grantTtlSeconds, lastRenewableExpiry } from './lease-rules.ts';
import { LeaseStore } from './lease-store.ts';
import { makeRoom } from './make-room.ts';
import { MarkStore } from './mark-store.ts';

export interface LeaseRequest {
  viewerId: string;
  contentId: string;
  deviceId: string | null;
  requestedTtlSeconds: number | undefined;
}

/** A lease and the life that it was just given. */
export interface Grant {
  lease: Lease;
  ttlSeconds: number;
}

/**
 * Gives the viewer a lease for the content: a new one, or the active one of the same device, renewed.
 *
 * @throws AppError CONTENT_NOT_ENTITLED, CONTENT_NOT_FOUND, TOKEN_REVOKED, LEASE_LIMIT_REACHED
 */
export async function createLease(
  ports: LeasePorts,
  request: LeaseRequest,
  acting: Acting,
): Promise<Grant & { created: boolean }> {
  const { viewerId, contentId, deviceId } = request;
  const { rules } = ports;
  assertEntitled(acting.principal, contentId);
  // Before the transaction, because the answer may come from another process.
  await assertContentOpen(ports, contentId);

  return ports.ledger.write(async (entry) => {
    const { tx, now } = entry;
    await lockForCreation(tx, viewerId, contentId);
    await refuseMarked(tx, acting.principal, viewerId, contentId);

    const store = new LeaseStore(tx);
    const ttlSeconds = grantTtlSeconds(rules, request.requestedTtlSeconds);
    const expiresAt = now + ttlSeconds * 1_000;
    const active = await store.findReusable(request, now);
    const renewal = { at: now, expiresAt, expiringAfter: lastRenewableExpiry(rules, now) };
    // Null also where the viewer released it in between.
    const renewed = active && (await store.renew(active.id, renewal));
    if (renewed) {
      await auditManagement(entry, acting, 'lease.create', renewed.id);
      noticeLease(entry, 'renewed', renewed);
      return { lease: renewed, ttlSeconds, created: false };
    }

    await makeRoom(entry, rules, viewerId, acting);
    const lease: Lease = {
      id: ports.randomId(),
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
    await store.insert(lease);
    await auditManagement(entry, acting, 'lease.create', lease.id);
    noticeLease(entry, 'created', lease);
    return { lease, ttlSeconds, created: true };
  });
}

/** A token from before a revocation gives no new lease. An API key is no token, and may. */
async function refuseMarked(
  tx: Transaction,
  principal: Principal,
  viewerId: string,
  contentId: string,
): Promise<void> {
  if (principal.kind === 'api-key') return;
  const markedAt = await new MarkStore(tx).findLatest(viewerId, contentId);
  if (isHeldByMark(principal, markedAt)) throw new AppError('TOKEN_REVOKED');
}
