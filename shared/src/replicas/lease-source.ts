import { type LeaseSource, leaseTags, markKey, markTags, splitMarkKey } from '../authority/index.ts';
import type { Clock } from '../clock/clock.ts';
import { createRecordReader, type LeaseState, LeaseStateSchema, MarkSchema } from '../contracts/index.ts';
import type { RecentChanges } from './recent-changes.ts';
import { type OwnerAnswer, SharedStateReader } from './shared-state-reader.ts';
import type { StateStore } from './state-store.ts';

/** The lease service as other services see it. Its answers carry the number of the change feed at which they are true. */
export interface OwnerLeaseReader {
  /** Same as `LeaseReader.findLease`. */
  findLease(leaseId: string): Promise<OwnerAnswer<LeaseState>>;
  /** Same as `LeaseReader.findMark`. */
  findMark(viewerId: string, contentId: string): Promise<OwnerAnswer<number>>;
}

/** Leases and marks that several replicas share. */
export interface SharedLeases {
  owner: OwnerLeaseReader;
  states: StateStore;
  /** The record that the follower of the change feed fills. */
  recent: RecentChanges;
}

/**
 * How long a mark, or its absence, stays shared. It only limits the memory of unused entries: 10 minutes of viewers.
 */
const markLifeMs = 600_000;

const readLease = createRecordReader(LeaseStateSchema);
const readMark = createRecordReader(MarkSchema);

/**
 * The leases and marks of several replicas: from the shared states where they are known to hold, else from the lease
 * service.
 */
export function createSharedLeaseSource(
  ...options: Parameters<typeof createSharedLeaseReaders>
): LeaseSource {
  const { lease, mark } = createSharedLeaseReaders(...options);
  return {
    findLease: (leaseId) => lease.load(leaseId),
    findMark: (viewerId, contentId) => mark.load(markKey(viewerId, contentId)),
  };
}

/** Reads leases by their id and marks by `markKey`. */
export function createSharedLeaseReaders(
  { owner, states, recent }: SharedLeases,
  follower: { readonly limitMs: number; seenUpToMs(): number | null },
  clock: Clock,
): { lease: SharedStateReader<LeaseState>; mark: SharedStateReader<number> } {
  const common = { states, recent, follower, clock };
  return {
    lease: new SharedStateReader({
      ...common,
      kind: 'lease',
      read: (leaseId) => owner.findLease(leaseId),
      parse: readLease,
      namesOf: (leaseId, lease) => leaseTags(leaseId, lease).map((tag) => ({ cache: 'leases', tag })),
      ttlMs: leaseLifeMs,
    }),
    mark: new SharedStateReader({
      ...common,
      kind: 'mark',
      read: (key) => owner.findMark(...splitMarkKey(key)),
      parse: readMark,
      namesOf: (key) => markTags(key).map((tag) => ({ cache: 'marks', tag })),
      ttlMs: () => markLifeMs,
    }),
  };
}

/**
 * How long the state of a lease is worth sharing. Creations and renewals are not in the change feed. Only the owner can
 * say that a lease does not exist, or whether one that looks expired has been renewed. A revoked lease stays revoked and
 * is kept as long as requests for it are likely.
 */
export function leaseLifeMs(lease: LeaseState | null, now: number): number {
  if (!lease) return 0;
  return (lease.revokedAt === null ? lease.expiresAt : lease.renewableUntil) - now;
}
