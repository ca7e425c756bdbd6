import { lockSubject } from '@latchkey/shared/db';
import type { LeaseSelector } from './lease-selector.ts';
import type { Transaction } from './own-tables.ts';

const viewer = (id: string) => `viewer:${id}`;
const content = (id: string) => `content:${id}`;

/**
 * Before the decision to create: no other lease of this viewer is created meanwhile, so the limit holds, and no
 * revocation runs that covers this one, so the marks that are read are the last word. Different viewers of one content
 * do not wait for each other.
 */
export async function lockForCreation(tx: Transaction, viewerId: string, contentId: string): Promise<void> {
  await lockSubject(tx, viewer(viewerId), 'exclusive');
  await lockSubject(tx, content(contentId), 'shared');
}

/**
 * Before a renewal: no revocation that covers the lease runs meanwhile, so those that are read are the last word. Renewals
 * of one viewer do not wait for each other. Bringing an expired lease back is locked as a creation is, because it counts
 * towards the limit.
 */
export async function lockForRenewal(tx: Transaction, viewerId: string, contentId: string): Promise<void> {
  await lockSubject(tx, viewer(viewerId), 'shared');
  await lockSubject(tx, content(contentId), 'shared');
}

/**
 * Before a revocation that leaves a mark: creations and renewals that it covers are over, and seen by it, or wait and see its mark.
 * For a pair the viewer is enough, because every creation and renewal of the pair holds the viewer.
 */
export async function lockForRevocation(
  tx: Transaction,
  { viewerId, contentId }: LeaseSelector,
): Promise<void> {
  if (viewerId !== null) await lockSubject(tx, viewer(viewerId), 'exclusive');
  else if (contentId !== null) await lockSubject(tx, content(contentId), 'exclusive');
}
