/** Who ended a lease before its time. `limit`: a newer lease of the viewer took its place. */
export const revokers = ['viewer', 'management', 'limit'] as const;
export type Revoker = (typeof revokers)[number];

export const leaseStatuses = ['active', 'expired', 'revoked'] as const;
export type LeaseStatus = (typeof leaseStatuses)[number];

/** A time-bounded permission of one viewer for one content. All times are milliseconds since 1970. */
export interface Lease {
  /** UUID. */
  id: string;
  viewerId: string;
  contentId: string;
  /** What the player calls its device; null where it does not say. */
  deviceId: string | null;
  createdAt: number;
  /** The last time; null where never. */
  renewedAt: number | null;
  expiresAt: number;
  revokedAt: number | null;
  revokedBy: Revoker | null;
  reason: string | null;
}

/** The state of a lease at `now`. It is worked out and never stored, so nothing has to run for a lease to expire. */
export function statusOf(lease: Lease, now: number): LeaseStatus {
  // A revocation stays one when the time runs out as well.
  if (lease.revokedAt !== null) return 'revoked';
  return lease.expiresAt > now ? 'active' : 'expired';
}
