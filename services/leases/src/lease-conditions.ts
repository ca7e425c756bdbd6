import { type ContentState, isEntitled, type Principal, viewerIdOf } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { Lease } from './lease.ts';
import type { LeaseRouteOptions } from './lease-route-options.ts';
import { type LeaseRules, lastRenewableExpiry } from './lease-rules.ts';

/**
 * Call it before the transaction, because the answer may come from another process.
 *
 * @returns the content; null for one that is not registered and need not be
 * @throws AppError CONTENT_NOT_ENTITLED if the viewer's token names other contents; CONTENT_NOT_FOUND if the content is disabled, or if
 *   it must be registered and is not
 */
export async function assertMayPlay(
  { contents, contentMode }: Pick<LeaseRouteOptions, 'contents' | 'contentMode'>,
  principal: Principal,
  contentId: string,
): Promise<ContentState | null> {
  if (!isEntitled(principal, contentId)) throw new AppError('CONTENT_NOT_ENTITLED');
  const content = await contents.findContent(contentId);
  if (content ? content.status === 'active' : contentMode === 'any') return content;
  throw new AppError('CONTENT_NOT_FOUND');
}

/** Why the principal may not renew the lease at `now`; null if it may. */
export function findRenewalRefusal(
  lease: Lease | null,
  principal: Principal,
  rules: LeaseRules,
  now: number,
): AppError | null {
  const mine =
    lease !== null &&
    (principal.kind === 'api-key'
      ? isEntitled(principal, lease.contentId)
      : lease.viewerId === viewerIdOf(principal));
  if (!mine) return new AppError('LEASE_UNKNOWN');
  if (lease.revokedAt !== null) return new AppError('LEASE_REVOKED');
  return lease.expiresAt <= lastRenewableExpiry(rules, now) ? new AppError('LEASE_EXPIRED') : null;
}
