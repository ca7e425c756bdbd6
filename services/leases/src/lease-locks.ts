import { lockSubject } from '@latchkey/shared/db';
import type { LeaseSelector } from './lease-selector.ts';
import type { Transaction } from './own-tables.ts';

/** The names of the locks. */
export const viewerSubject = (id: string) => `viewer:${id}`;
export const contentSubject = (id: string) => `content:${id}`;

/**
 * Taken before the decision to create. No other lease of this viewer is created meanwhile, so the limit holds. No revocation that
 * covers this lease runs meanwhile, so the marks that are read are current. Different viewers of one content do not wait for each
 * other.
 */
export async function lockForCreation(tx: Transaction, viewerId: string, contentId: string): Promise<void> {
  await lockSubject(tx, viewerSubject(viewerId), 'exclusive');
  await lockSubject(tx, contentSubject(contentId), 'shared');
}

/**
 * Taken before a renewal. No revocation that covers the lease runs meanwhile, so the revocations that are read are current. Renewals
 * of one viewer do not wait for each other. Bringing an expired lease back is locked as a creation is, because it counts
 * towards the limit.
 */
export async function lockForRenewal(tx: Transaction, viewerId: string, contentId: string): Promise<void> {
  await lockSubject(tx, viewerSubject(viewerId), 'shared');
  await lockSubject(tx, contentSubject(contentId), 'shared');
}

/**
 * Taken before a revocation that leaves a mark: creations and renewals that it covers are over, and seen by it, or wait and see its mark.
 * For a pair the viewer is enough, because every creation and renewal of the pair holds the viewer.
 */
export async function lockForRevocation(
  tx: Transaction,
  { viewerId, contentId }: LeaseSelector,
): Promise<void> {
  if (viewerId !== null) await lockSubject(tx, viewerSubject(viewerId), 'exclusive');
  else if (contentId !== null) await lockSubject(tx, contentSubject(contentId), 'exclusive');
}
