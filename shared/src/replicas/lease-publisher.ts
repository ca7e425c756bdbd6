import type { LeaseState } from '../contracts/index.ts';
import { leaseLifeMs } from './lease-source.ts';
import type { FeedStamp, RecentChanges } from './recent-changes.ts';
import type { StateStore } from './state-store.ts';

/** A lease as an act left it. */
export interface PublishedLease {
  id: string;
  state: LeaseState;
  /** The wall clock of the act, milliseconds since 1970: the time of its rows in the change feed. */
  at: number;
  /** The number of the change that names this lease alone; null for a creation or a renewal, which are not in the feed. */
  changeNumber: number | null;
}

export type LeasePublisher = ReturnType<typeof createLeasePublisher>;

/**
 * Shares the leases of an act with the other replicas, so that they need not call the lease service. A revocation of many leases by a viewer or a content publishes nothing: its change in the feed invalidates all of them.
 *
 * @param recent the record that this process's follower of the change feed fills
 */
export function createLeasePublisher({ states, recent }: { states: StateStore; recent: RecentChanges }) {
  return {
    /**
     * Call it before the act begins: the act may not include changes that others make while it runs.
     *
     * @returns a function that shares one lease; call it once the act is committed
     */
    begin(): (lease: PublishedLease) => void {
      const before = recent.stamp();
      return ({ id, state, at, changeNumber }) => {
        const stamp = stampOf(before, at, changeNumber);
        const lifeMs = leaseLifeMs(state, at);
        if (stamp && lifeMs > 0) states.set('lease', id, state, stamp, lifeMs);
      };
    },
  };
}

/** A revocation is true from its own number on, and never trusted below it. Every other state is true as of before the act. */
function stampOf(before: FeedStamp | null, at: number, changeNumber: number | null): FeedStamp | null {
  if (changeNumber === null) return before;
  return { number: changeNumber, at, ...(before?.history != null && { history: before.history }) };
}
