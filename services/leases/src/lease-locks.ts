import { lockSubject, type Transaction } from '@latchkey/shared/db';
import type { LeaseSelector } from './lease-selector.ts';

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

/** Before more leases of a viewer become active in another way than by creation. */
export async function lockForRevival(tx: Transaction, viewerId: string): Promise<void> {
  await lockSubject(tx, viewer(viewerId), 'exclusive');
}

/**
 * Before a revocation that leaves a mark: creations that it covers are over, and seen by it, or wait and see its mark.
 * For a pair the viewer is enough, because every creation of the pair holds the viewer alone.
 */
export async function lockForRevocation(
  tx: Transaction,
  { viewerId, contentId }: LeaseSelector,
): Promise<void> {
  if (viewerId !== null) await lockSubject(tx, viewer(viewerId), 'exclusive');
  else if (contentId !== null) await lockSubject(tx, content(contentId), 'exclusive');
}
