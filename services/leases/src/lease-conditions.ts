import { type ContentState, isEntitled, type Principal, viewerIdOf } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { Lease } from './lease.ts';
import type { LeaseRouteOptions } from './lease-route-options.ts';
import { type LeaseRules, lastRenewableExpiry } from './lease-rules.ts';

/** @throws AppError CONTENT_NOT_ENTITLED if the viewer's token names other contents */
export function assertEntitled(principal: Principal, contentId: string): void {
  if (!isEntitled(principal, contentId)) throw new AppError('CONTENT_NOT_ENTITLED');
}

/**
 * A content that the change feed shows as open needs no call. Its owner is read before a refusal: it may just have been registered or
 * brought back. A content that was just disabled may get a lease for as long as the change takes to arrive here. That lease opens
 * nothing, because each key request checks the content, too.
 *
 * @throws AppError CONTENT_NOT_FOUND if the content is disabled, or if it must be registered and is not
 */
export async function assertContentOpen(
  { authority, contents, contentMode }: Pick<LeaseRouteOptions, 'authority' | 'contents' | 'contentMode'>,
  contentId: string,
): Promise<void> {
  const isOpen = (content: ContentState | null) =>
    content ? content.status === 'active' : contentMode === 'any';
  const known = authority.contents.peek(contentId);
  if (known && isOpen(known.value)) return;
  await authority.contents.load(contentId);
  const loaded = authority.contents.glance(contentId);
  if (loaded && isOpen(loaded.value)) return;
  // Also where a change overtook the load, or the load began before this request.
  if (isOpen(await contents.findContent(contentId))) return;
  throw new AppError('CONTENT_NOT_FOUND');
}

/** Why the principal may not renew the lease at `now`; null if it may. */
export function findRenewalRefusal(
  lease: Lease | null,
  principal: Principal,
  rules: LeaseRules,
  now: number,
): AppError | null {
  const mine = lease !== null && (principal.kind === 'api-key' || lease.viewerId === viewerIdOf(principal));
  if (!mine) return new AppError('LEASE_UNKNOWN');
  if (lease.revokedAt !== null) return new AppError('LEASE_REVOKED');
  return lease.expiresAt <= lastRenewableExpiry(rules, now) ? new AppError('LEASE_EXPIRED') : null;
}
