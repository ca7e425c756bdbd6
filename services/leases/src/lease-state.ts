import type { LeaseState } from '@latchkey/shared/contracts';
import type { Lease } from './lease.ts';
import { renewableUntil } from './lease-rules.ts';

/** The state of a lease by which other services decide. */
export function toLeaseState(lease: Lease, rules: { renewGraceSeconds: number }): LeaseState {
  return {
    viewerId: lease.viewerId,
    contentId: lease.contentId,
    expiresAt: lease.expiresAt,
    renewableUntil: renewableUntil(rules, lease.expiresAt),
    revokedAt: lease.revokedAt,
  };
}
