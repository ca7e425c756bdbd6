import type { LeaseState } from '../contracts/index.ts';

/** The state of a lease for a test that names only what it is about: one place to change where a lease gets a field. */
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
