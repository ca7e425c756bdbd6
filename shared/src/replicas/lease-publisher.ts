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

/** Shares with the other replicas what an act made of leases, so that they need not ask the lease service. */
export interface LeasePublisher {
  /**
   * To be called before the act begins: what others change while it runs need not be in what it writes.
   *
   * @returns shares one lease; to be called once the act is committed
   */
  begin(): (lease: PublishedLease) => void;
}

/**
 * A revocation of many leases by a viewer or a content publishes nothing: its change in the feed ends the belief in all
 * of them.
 *
 * @param recent the record that this process's follower of the change feed tells
 */
export function createLeasePublisher({
  states,
  recent,
}: {
  states: StateStore;
  recent: RecentChanges;
}): LeasePublisher {
  return {
    begin() {
      const before = recent.stamp();
      return ({ id, state, at, changeNumber }) => {
        const stamp = stampOf(before, at, changeNumber);
        const lifeMs = leaseLifeMs(state, at);
        if (stamp && lifeMs > 0) states.set('lease', id, state, stamp, lifeMs);
      };
    },
  };
}

/** A revocation is true at its own number, and believed nowhere below it; everything else is true as of before the act. */
function stampOf(before: FeedStamp | null, at: number, changeNumber: number | null): FeedStamp | null {
  if (changeNumber === null) return before;
  return { number: changeNumber, at, ...(before?.history != null && { history: before.history }) };
}
