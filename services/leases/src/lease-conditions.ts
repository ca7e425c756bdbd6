import { isEntitled, isHeldByMark, type Principal } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { type Acting, auditManagement } from './lease-acting.ts';
import type { LeaseEntry } from './lease-ledger.ts';
import type { LeaseRouteOptions, LeaseService } from './lease-route-options.ts';
import { toLeaseView } from './lease-schema.ts';
import { openLeaseStore } from './lease-store.ts';
import { MarkStore } from './mark-store.ts';
import type { Transaction } from './own-tables.ts';

/** @throws AppError CONTENT_NOT_ENTITLED if the viewer's token names other contents */
export function assertEntitled(principal: Principal, contentId: string): void {
  if (!isEntitled(principal, contentId)) throw new AppError('CONTENT_NOT_ENTITLED');
}

/** @throws AppError CONTENT_NOT_FOUND if the content is disabled, or if it must be registered and is not */
export async function assertContentOpen(
  { contents, contentMode }: Pick<LeaseRouteOptions, 'contents' | 'contentMode'>,
  contentId: string,
): Promise<void> {
  const content = await contents.findContent(contentId);
  if (content ? content.status === 'active' : contentMode === 'any') return;
  throw new AppError('CONTENT_NOT_FOUND');
}

/**
 * A token from before a revocation gets no new lease and cannot bring an expired one back. This does not apply to API keys.
 *
 * @throws AppError TOKEN_REVOKED
 */
export async function assertUnmarked(
  tx: Transaction,
  principal: Principal,
  { viewerId, contentId }: { viewerId: string; contentId: string },
): Promise<void> {
  if (principal.kind === 'api-key') return;
  const markedAt = await new MarkStore(tx).findLatest(viewerId, contentId);
  if (isHeldByMark(principal, markedAt)) throw new AppError('TOKEN_REVOKED');
}

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
