import type { LeaseState } from '../contracts/index.ts';
import { numberBytes, objectBytes, textBytes } from '../memory/index.ts';
import { KeptState, type ReadFacts } from './kept-state.ts';

/**
 * The entry of a cached lease, which is the lease's state itself. There is one for each viewer, so the renewal limit is
 * stored as its distance from the expiry: a whole number without an object of its own, which saves 16 bytes.
 */
export class KeptLease extends KeptState<LeaseState> implements LeaseState {
  readonly viewerId: string;
  readonly contentId: string;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  /** Milliseconds after `expiresAt`. */
  readonly renewableForMs: number;

  /** @param contentId the same text for every lease of the content */
  constructor(lease: LeaseState, contentId: string, facts: ReadFacts) {
    super(facts);
    this.viewerId = lease.viewerId;
    this.contentId = contentId;
    this.expiresAt = lease.expiresAt;
    this.revokedAt = lease.revokedAt;
    this.renewableForMs = lease.renewableUntil - lease.expiresAt;
  }

  get value(): LeaseState {
    return this;
  }

  get renewableUntil(): number {
    return this.expiresAt + this.renewableForMs;
  }
}

/**
 * The entry of a cached session. It is a class of its own because sessions are few: the many leases of players need no memory for its two
 * further fields.
 */
class KeptSession extends KeptLease {
  readonly session: NonNullable<LeaseState['session']>;

  constructor(
    lease: LeaseState & { session: NonNullable<LeaseState['session']> },
    contentId: string,
    facts: ReadFacts,
  ) {
    super(lease, contentId, facts);
    this.session = lease.session;
  }
}

/** @param contentId the same text for every lease of the content */
export function keepLease(lease: LeaseState, contentId: string, facts: ReadFacts): KeptLease {
  const { session } = lease;
  return session
    ? new KeptSession({ ...lease, session }, contentId, facts)
    : new KeptLease(lease, contentId, facts);
}

/**
 * Bytes of a lease without the content id, which other leases share. Its 5 fields take 4 words more than the one by which
 * another entry refers to its value.
 */
export function keptLeaseBytes(lease: LeaseState): number {
  const { viewerId, expiresAt, revokedAt, renewableUntil, session } = lease;
  const times = numberBytes(expiresAt) + numberBytes(revokedAt) + numberBytes(renewableUntil - expiresAt);
  const ofSession = session ? sessionBytes(session) : 0;
  return objectBytes(5) - objectBytes(1) + textBytes(viewerId) + times + ofSession;
}

/** One more field, and the object that it refers to. */
function sessionBytes({ secretHash, extendFrom }: NonNullable<LeaseState['session']>): number {
  return objectBytes(1) - objectBytes(0) + objectBytes(2) + textBytes(secretHash) + numberBytes(extendFrom);
}
