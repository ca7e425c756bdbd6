import type { LeaseState } from '../contracts/index.ts';
import { numberBytes, objectBytes, textBytes } from '../memory/index.ts';

/**
 * The state of a lease as it is cached: there is one for each viewer. The time up to which it can be renewed is kept as its
 * distance from the expiry, a whole number that takes no object of its own: 16 bytes less.
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

/** What it takes in memory beside the content id, which others keep too: 5 fields and what they refer to. */
export function keptLeaseBytes(lease: LeaseState): number {
  const { viewerId, expiresAt, revokedAt, renewableUntil } = lease;
  const times = numberBytes(expiresAt) + numberBytes(revokedAt) + numberBytes(renewableUntil - expiresAt);
  return objectBytes(5) + textBytes(viewerId) + times;
}
