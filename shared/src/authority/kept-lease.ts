import type { LeaseState } from '../contracts/index.ts';
import { numberBytes, objectBytes, textBytes } from '../memory/index.ts';

/**
 * A cached lease state. There is one for each viewer, so the renewal limit is stored as its distance from the expiry: a
 * whole number without an object of its own, which saves 16 bytes.
 */
export class KeptLease implements LeaseState {
  readonly viewerId: string;
  readonly contentId: string;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  /** Milliseconds after `expiresAt`. */
  readonly renewableForMs: number;

  /** @param contentId the same text for every lease of the content */
  constructor(lease: LeaseState, contentId: string) {
    this.viewerId = lease.viewerId;
    this.contentId = contentId;
    this.expiresAt = lease.expiresAt;
    this.revokedAt = lease.revokedAt;
    this.renewableForMs = lease.renewableUntil - lease.expiresAt;
  }

  get renewableUntil(): number {
    return this.expiresAt + this.renewableForMs;
  }
}

/** Bytes that it takes beside the content id, which other leases share: 5 fields and the values that they refer to. */
export function keptLeaseBytes(lease: LeaseState): number {
  const { viewerId, expiresAt, revokedAt, renewableUntil } = lease;
  const times = numberBytes(expiresAt) + numberBytes(revokedAt) + numberBytes(renewableUntil - expiresAt);
  return objectBytes(5) + textBytes(viewerId) + times;
}
