import type { LeaseState } from '@latchkey/shared/contracts';
import type { Lease } from './lease.ts';
import { renewableUntil } from './lease-rules.ts';

/** What deciding about a lease takes, as the neighbours get it. */
export function toLeaseState(lease: Lease, rules: { renewGraceSeconds: number }): LeaseState {
  return {
    viewerId: lease.viewerId,
    contentId: lease.contentId,
    expiresAt: lease.expiresAt,
    renewableUntil: renewableUntil(rules, lease.expiresAt),
    revokedAt: lease.revokedAt,
  };
}
