import type { LeaseState } from '../contracts/index.ts';

/** A lease's state for a test that sets only the fields it is about. A new field of a lease changes only this place. */
export function createLeaseState(facts: Partial<LeaseState> = {}): LeaseState {
  return {
    viewerId: 'ann',
    contentId: 'film',
    expiresAt: 300_000,
    renewableUntil: 330_000,
    revokedAt: null,
    ...facts,
  };
}
