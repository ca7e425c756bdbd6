import { isPostgres, type SubjectLock, tryLockSubjects } from '@latchkey/shared/db';
import { contentSubject, lockForCreation, lockForRenewal, viewerSubject } from '../lease-locks.ts';
import type { Transaction } from '../own-tables.ts';
import type { LeaseAct } from './lease-act.ts';

/**
 * Takes the locks of many acts without waiting for another transaction (`lockForCreation`, `lockForRenewal`). A release
 * needs none.
 *
 * @returns whether each act has its locks
 */
export async function tryLockActs(tx: Transaction, acts: readonly LeaseAct[]): Promise<boolean[]> {
  const locks = new Map<string, SubjectLock>();
  const add = (subject: string, mode: SubjectLock['mode']) => {
    if (mode === 'exclusive' || !locks.has(subject)) locks.set(subject, { subject, mode });
  };
  for (const act of acts) {
    if (act.kind === 'release') continue;
    add(viewerSubject(act.viewerId), act.kind === 'extend' ? 'shared' : 'exclusive');
    add(contentSubject(act.contentId), 'shared');
  }
  if (locks.size === 0) return acts.map(() => true);
  // By name, so that viewers and contents are locked in the same order by every replica.
  const sorted = [...locks.values()].sort((a, b) => (a.subject < b.subject ? -1 : 1));
  const taken = await tryLockSubjects(tx, sorted);
  const locked = new Set(sorted.filter((_, n) => taken[n]).map(({ subject }) => subject));
  return acts.map(
    (act) =>
      act.kind === 'release' ||
      (locked.has(viewerSubject(act.viewerId)) && locked.has(contentSubject(act.contentId))),
  );
}

/** Takes the locks of one act, and waits for transactions that hold them. */
export async function lockAct(tx: Transaction, act: LeaseAct): Promise<void> {
  if (act.kind === 'release') return;
  const lock = act.kind === 'extend' ? lockForRenewal : lockForCreation;
  await lock(tx, act.viewerId, act.contentId);
}

/**
 * Locks rows that are about to be updated, in the order of their ids. Two transactions that update the same rows in the order
 * of their requests could wait for each other.
 */
export async function lockRows(tx: Transaction, leaseIds: readonly string[]): Promise<void> {
  if (!isPostgres(tx) || leaseIds.length < 2) return;
  await tx.selectFrom('leases').select('id').where('id', 'in', leaseIds).orderBy('id').forUpdate().execute();
}
