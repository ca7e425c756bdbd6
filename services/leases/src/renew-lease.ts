import { type Principal, viewerIdOf } from '@latchkey/shared/auth';
import { AppError } from '@latchkey/shared/errors';
import type { LedgerEntry } from '@latchkey/shared/events';
import { assertContentOpen, assertEntitled } from './assert-entitled.ts';
import type { Grant } from './create-lease.ts';
import { type Lease, stateOf } from './lease.ts';
import { type Acting, auditManagement, noticeLease } from './lease-acting.ts';
import { isLeaseId } from './lease-id.ts';
import { lockForRevival } from './lease-locks.ts';
import type { LeasePorts } from './lease-ports.ts';
import { grantTtlSeconds, type LeaseRules, lastRenewableExpiry } from './lease-rules.ts';
import { LeaseStore } from './lease-store.ts';
import { makeRoom } from './make-room.ts';

/**
 * Gives a lease a new life that counts from now: a viewer its own, an API key any.
 *
 * @throws AppError LEASE_UNKNOWN, LEASE_REVOKED, LEASE_EXPIRED, CONTENT_NOT_ENTITLED, CONTENT_NOT_FOUND; and
 *   LEASE_LIMIT_REACHED where an expired lease would come back as one too many
 */
export async function renewLease(
  ports: LeasePorts,
  { leaseId, requestedTtlSeconds }: { leaseId: string; requestedTtlSeconds: number | undefined },
  acting: Acting,
): Promise<Grant> {
  const { rules, clock } = ports;
  const found = isLeaseId(leaseId) ? await new LeaseStore(ports.db).find(leaseId) : null;
  const lease = asRenewable(found, acting.principal, rules, clock.now());
  assertEntitled(acting.principal, lease.contentId);
  // Before the transaction, because the answer may come from another process.
  await assertContentOpen(ports, lease.contentId);

  return ports.ledger.write(async (entry) => {
    const { tx, now } = entry;
    const store = new LeaseStore(tx);
    const ttlSeconds = grantTtlSeconds(rules, requestedTtlSeconds);
    await revive(entry, rules, lease, acting);
    const renewed = await store.renew(lease.id, {
      at: now,
      expiresAt: now + ttlSeconds * 1_000,
      expiringAfter: lastRenewableExpiry(rules, now),
    });
    // A revocation came first, or the time ran out.
    if (!renewed) {
      asRenewable(await store.find(lease.id), acting.principal, rules, now);
      throw new AppError('LEASE_EXPIRED');
    }
    await auditManagement(entry, acting, 'lease.renew', renewed.id);
    noticeLease(entry, 'renewed', renewed);
    return { lease: renewed, ttlSeconds };
  });
}

/** A lease that has expired does not count towards the limit; once it is renewed it does, like a new one. */
async function revive(entry: LedgerEntry, rules: LeaseRules, lease: Lease, acting: Acting): Promise<void> {
  if (rules.maxPerViewer === 0 || stateOf(lease, entry.now) !== 'expired') return;
  await lockForRevival(entry.tx, lease.viewerId);
  const latest = await new LeaseStore(entry.tx).find(lease.id);
  if (latest && stateOf(latest, entry.now) === 'expired') {
    await makeRoom(entry, rules, lease.viewerId, acting);
  }
}

/** @returns the lease, where the principal may renew it at `now` */
function asRenewable(lease: Lease | null, principal: Principal, rules: LeaseRules, now: number): Lease {
  const mine = lease !== null && (principal.kind === 'api-key' || lease.viewerId === viewerIdOf(principal));
  if (!mine) throw new AppError('LEASE_UNKNOWN');
  if (lease.revokedAt !== null) throw new AppError('LEASE_REVOKED');
  if (lease.expiresAt <= lastRenewableExpiry(rules, now)) throw new AppError('LEASE_EXPIRED');
  return lease;
}
