/** The settings of the operator for leases (`LEASE_…`). */
export interface LeaseRules {
  /** `off`: there are no leases. What `required` means for a key request is decided by key-derivation. */
  mode: 'off' | 'optional' | 'required';
  /** How long a lease lives if the request does not say. */
  ttlSeconds: number;
  maxTtlSeconds: number;
  /** How long after its expiry a lease can still be renewed. */
  renewGraceSeconds: number;
  /** Active leases of one viewer at a time; 0 is `mostActive` alone. */
  maxPerViewer: number;
  limitMode: 'reject' | 'evict-oldest';
  /** How long after its creation a session ends, however much it is used. */
  sessionMaxSeconds: number;
}

/** Three quarters of the life (`docs/reference/contract.md#leases`): the last quarter leaves time for retries. */
const renewAfterShare = 0.75;

/**
 * Active leases of one viewer, whatever the rules: a hundred times what a family with its devices holds. Each creation counts the leases
 * of its viewer, so one viewer with many would slow every other one.
 */
export const mostActive = 1_000;

/** How many active leases one viewer may have. */
export function maxActive({ maxPerViewer }: Pick<LeaseRules, 'maxPerViewer'>): number {
  return maxPerViewer === 0 ? mostActive : Math.min(maxPerViewer, mostActive);
}

/** How long a lease lives that is created or renewed now: the requested time, up to the maximum. */
export function grantTtlSeconds(rules: LeaseRules, requestedTtlSeconds: number | undefined): number {
  return Math.min(requestedTtlSeconds ?? rules.ttlSeconds, rules.maxTtlSeconds);
}

/** When the viewer should renew, in seconds from now: at least 1, or a player with a short lease would renew in a loop. */
export function renewAfterSeconds(ttlSeconds: number): number {
  return Math.max(1, Math.floor(ttlSeconds * renewAfterShare));
}

/** Until when a lease that expires at this time can be renewed. Both in milliseconds since 1970. */
export function renewableUntil(rules: Pick<LeaseRules, 'renewGraceSeconds'>, expiresAt: number): number {
  return expiresAt + rules.renewGraceSeconds * 1_000;
}

/** A lease that has expired at this time or before cannot be renewed at `now`. All in milliseconds since 1970. */
export function lastRenewableExpiry(rules: Pick<LeaseRules, 'renewGraceSeconds'>, now: number): number {
  return now - rules.renewGraceSeconds * 1_000;
}
