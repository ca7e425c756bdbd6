import { AppError } from '@latchkey/shared/errors';
import { type Acting, auditManagement } from './lease-acting.ts';
import type { LeaseEntry } from './lease-ledger.ts';
import type { LeaseService } from './lease-route-options.ts';
import { toLeaseView } from './lease-schema.ts';
import { openLeaseStore } from './lease-store.ts';

/**
 * Ensures that the viewer may have one more active lease. The caller holds the viewer's lock.
 *
 * @throws AppError LEASE_LIMIT_REACHED with the active leases, unless the oldest one is evicted
 */
export async function makeRoom(
  entry: LeaseEntry,
  { rules, revocations }: LeaseService,
  viewerId: string,
  acting: Acting,
): Promise<void> {
  if (rules.maxPerViewer === 0) return;
  const store = await openLeaseStore(entry.tx, revocations);
  const active = await store.listActiveOf(viewerId, entry.now);
  const tooMany = active.length - rules.maxPerViewer + 1;
  if (tooMany <= 0) return;
  if (rules.limitMode === 'reject') {
    throw new AppError('LEASE_LIMIT_REACHED', {
      detail: `The viewer has ${active.length} active leases and may have ${rules.maxPerViewer}.`,
      members: { leases: active.map((lease) => toLeaseView(lease, entry.now)) },
    });
  }
  for (const { id } of active.slice(0, tooMany)) {
    const evicted = await store.revokeOne(id, { at: entry.now, by: 'limit', reason: null });
    if (!evicted) continue;
    // Without a mark: the newer lease may use the same token.
    const changeNumber = await entry.change({ kind: 'leases', leaseId: id, viewerId: null, contentId: null });
    await auditManagement(entry, acting, 'lease.evict', id);
    entry.revoked(evicted, changeNumber);
  }
}
