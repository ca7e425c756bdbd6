import type { LeaseState } from '@latchkey/shared/contracts';
import { renewableUntil } from './lease-rules.ts';
import { extendableFrom } from './session-rules.ts';

/** Who ended a lease before its time. `limit`: a newer lease of the viewer took its place. */
export const revokers = ['viewer', 'management', 'limit'] as const;
export type Revoker = (typeof revokers)[number];

export const leaseStatuses = ['active', 'expired', 'revoked'] as const;
export type LeaseStatus = (typeof leaseStatuses)[number];

/** The members that make a lease a playback session. All times are milliseconds since 1970. */
export interface LeaseSession {
  /** SHA-256 of the secret in its URL, 64 hex digits. */
  secretHash: string;
  /** How long a use extends the lease. */
  ttlMs: number;
  /** Nothing extends the lease beyond this time. */
  endsAt: number;
  /** The last reported use; null before the first. */
  usedAt: number | null;
}

/** A time-bounded permission of one viewer for one content. All times are milliseconds since 1970. */
export interface Lease {
  /** UUID. */
  id: string;
  viewerId: string;
  contentId: string;
  /** The player's name of its device; null if it gives none. */
  deviceId: string | null;
  createdAt: number;
  /** The last time; null if never. */
  renewedAt: number | null;
  expiresAt: number;
  revokedAt: number | null;
  revokedBy: Revoker | null;
  reason: string | null;
  /** Missing where the lease is a player's. */
  session?: LeaseSession;
}

/** The state of a lease at `now`. It is computed and never stored, so no job expires leases. */
export function statusOf(lease: Lease, now: number): LeaseStatus {
  // A revoked lease stays revoked after its expiry.
  if (lease.revokedAt !== null) return 'revoked';
  return lease.expiresAt > now ? 'active' : 'expired';
}

/** The state of a lease by which other services decide. */
export function toLeaseState(lease: Lease, rules: { renewGraceSeconds: number }): LeaseState {
  return {
    viewerId: lease.viewerId,
    contentId: lease.contentId,
    expiresAt: lease.expiresAt,
    renewableUntil: renewableUntil(rules, lease.expiresAt),
    revokedAt: lease.revokedAt,
    ...(lease.session && { session: toSessionState(lease, lease.session) }),
  };
}

function toSessionState(lease: Lease, session: LeaseSession): NonNullable<LeaseState['session']> {
  return { secretHash: session.secretHash, extendFrom: extendableFrom(lease, session) };
}
