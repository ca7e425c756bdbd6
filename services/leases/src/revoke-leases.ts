import { viewerIdOf } from '@latchkey/shared/auth';
import type { Database } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import type { Lease } from './lease.ts';
import { type Acting, auditAct, auditManagement, noticeLease } from './lease-acting.ts';
import { isLeaseId } from './lease-id.ts';
import { lockForRevocation } from './lease-locks.ts';
import type { LeasePorts } from './lease-ports.ts';
import { lastRenewableExpiry } from './lease-rules.ts';
import { describeSelector, type LeaseSelector } from './lease-selector.ts';
import { LeaseStore } from './lease-store.ts';
import { MarkStore } from './mark-store.ts';

/** How many of the newly revoked leases an answer shows (contract, section 6). */
const shownLeases = 100;

/** What was newly revoked: how many, and the first of them. */
export interface RevocationResult {
  revoked: number;
  leases: Lease[];
}

/**
 * A viewer gives its own lease back. No mark: the same token may ask for another.
 *
 * @throws AppError LEASE_NOT_FOUND, for a lease of someone else too
 */
export async function releaseLease(
  ports: LeasePorts,
  leaseId: string,
  reason: string | null,
  acting: Acting,
): Promise<RevocationResult> {
  const lease = await findLease(ports.db, leaseId);
  if (lease.viewerId !== viewerIdOf(acting.principal)) throw new AppError('LEASE_NOT_FOUND');
  return ports.ledger.write(async (entry) => {
    const revocation = { at: entry.now, by: 'viewer', reason } as const;
    const released = await new LeaseStore(entry.tx).revokeOne(leaseId, revocation);
    if (!released) return { revoked: 0, leases: [] };
    await entry.change({ kind: 'leases', leaseId, viewerId: null, contentId: null });
    await auditAct(entry, acting, 'lease.revoke', leaseId);
    noticeLease(entry, 'revoked', released);
    return { revoked: 1, leases: [released] };
  });
}

/**
 * Management revokes one lease, whatever its expiry, and marks its viewer and content: until it is issued a newer token,
 * the viewer gets no other lease for this content.
 *
 * @throws AppError LEASE_NOT_FOUND
 */
export async function revokeLease(
  ports: LeasePorts,
  leaseId: string,
  reason: string | null,
  acting: Acting,
): Promise<RevocationResult> {
  const { viewerId, contentId } = await findLease(ports.db, leaseId);
  return ports.ledger.write(async (entry) => {
    const { tx, now } = entry;
    await lockForRevocation(tx, { viewerId, contentId });
    const store = new LeaseStore(tx);
    const revoked = await store.revokeOne(leaseId, { at: now, by: 'management', reason });
    await auditManagement(entry, acting, 'lease.revoke', leaseId);
    // A repeat changes nothing: a mark of now would also refuse the token that was issued since. But whoever releases a
    // lease just before it is revoked does not escape the mark.
    const isRepeat = !revoked && (await store.find(leaseId))?.revokedBy === 'management';
    if (isRepeat) return { revoked: 0, leases: [] };
    await new MarkStore(tx).mark({ viewerId, contentId }, now);
    await entry.change({ kind: 'leases', leaseId, viewerId, contentId });
    if (!revoked) return { revoked: 0, leases: [] };
    noticeLease(entry, 'revoked', revoked);
    return { revoked: 1, leases: [revoked] };
  });
}

/**
 * Management revokes every lease of a viewer, a content or a pair that is active or can still be renewed, and marks what
 * it named, whether or not there was a lease.
 */
export async function revokeMatchingLeases(
  ports: LeasePorts,
  selector: LeaseSelector,
  reason: string | null,
  acting: Acting,
): Promise<RevocationResult> {
  return ports.ledger.write(async (entry) => {
    const { tx, now } = entry;
    await lockForRevocation(tx, selector);
    await new MarkStore(tx).mark(selector, now);
    const result = await new LeaseStore(tx).revokeMatching(
      selector,
      { at: now, by: 'management', reason },
      lastRenewableExpiry(ports.rules, now),
      shownLeases,
    );
    await entry.change({ kind: 'leases', leaseId: null, ...selector });
    await auditManagement(entry, acting, 'lease.revoke', describeSelector(selector));
    entry.notice({ topic: 'lease', event: 'revoked', data: { ...selector, revoked: result.revoked } });
    return result;
  });
}

async function findLease(db: Database, leaseId: string): Promise<Lease> {
  const lease = isLeaseId(leaseId) ? await new LeaseStore(db).find(leaseId) : null;
  if (!lease) throw new AppError('LEASE_NOT_FOUND');
  return lease;
}
