import type { RevocationTarget } from '../../api/leases.ts';
import type { Lease } from '../../api/resources.ts';

/** What the dialog ends: one lease, which it names in full, or every one of a viewer, of a content or of the pair. */
export type Revoking = { lease: Lease } | Exclude<RevocationTarget, { leaseId: string }>;

/** Opens the dialog that revokes. */
export type BeginRevoking = (revoking: Revoking) => void;

/** What to ask of the server. */
export function targetOf(revoking: Revoking): RevocationTarget {
  return 'lease' in revoking ? { leaseId: revoking.lease.id } : revoking;
}
