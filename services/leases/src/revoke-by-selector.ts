import { ActStore } from './acts/act-store.ts';
import type { Lease } from './lease.ts';
import { type Acting, auditRevocation, becauseOf } from './lease-acting.ts';
import { lockForRevocation } from './lease-locks.ts';
import type { LeaseService } from './lease-route-options.ts';
import { isCovered, isOpen, type LeaseExpression, leaseColumns, toLease } from './lease-row.ts';
import { lastRenewableExpiry } from './lease-rules.ts';
import type { LeaseSelector } from './lease-selector.ts';
import { MarkStore } from './mark-store.ts';
import type { LedgerEntry, Transaction } from './own-tables.ts';
import { findNewestCreation, RevocationStore, type SelectorRevocation } from './revocation-store.ts';
import { sessionColumn } from './session-store.ts';

/** How many of the newly revoked leases an answer shows (`docs/reference/contract.md#revocation`). */
const shownLeases = 100;
/** Up to here `revoked` is exact (`docs/reference/contract.md#revocation`). */
const countedExactly = 10_000;
/** Rows that a count reads: one more shows that there are more. */
const rowsLookedAt = countedExactly + 1;

/** The newly revoked leases: how many, and the first of them. */
export interface RevocationResult {
  revoked: number;
  /** Whether there are more than were counted. */
  more: boolean;
  leases: Lease[];
}

/** Management revokes what it names, as `revokeLocked` does. */
export function revokeMatchingLeases(
  service: LeaseService,
  selector: LeaseSelector,
  reason: string | null,
  acting: Acting,
): Promise<RevocationResult> {
  return service.ledger.write(async (entry) => {
    await lockForRevocation(entry.tx, selector);
    const names = { leaseId: null, ...selector };
    const auditNumber = await auditRevocation(entry, acting, 'lease.revoke', names, becauseOf(reason));
    return revokeLocked(service, entry, selector, { reason, auditNumber });
  });
}

/**
 * Revokes every lease of a viewer, a content or a pair that is active or can still be renewed, and marks what is named, whether or
 * not there was a lease. The caller holds the lock (`lockForRevocation`).
 *
 * It takes the same time for a million leases as for a hundred: a row in `revocations` revokes them from the commit on, and
 * the writer brings it to their rows afterwards. Up to a hundred rows are written at once, because most revocations have
 * fewer and need no writer then.
 *
 * @param auditNumber of the row that gets the number of leases once it is known
 */
export async function revokeLocked(
  service: LeaseService,
  entry: LedgerEntry,
  selector: LeaseSelector,
  { reason, auditNumber }: { reason: string | null; auditNumber: number },
): Promise<RevocationResult> {
  const { tx } = entry;
  // Read after the lock, so that creations that held the lock are not later than it.
  const revokedAt = service.clock.now();
  await new MarkStore(tx).mark(selector, revokedAt);
  const expiringAfter = lastRenewableExpiry(service.rules, revokedAt);
  const named = { ...selector, expiringAfter, revokedAt, reason, auditNumber };
  const result = await revokeFromNowOn(tx, named);
  await entry.change({ kind: 'leases', leaseId: null, ...selector });
  notice(entry, selector, result);
  return result;
}

type Named = Omit<SelectorRevocation, 'createdAfter' | 'createdUpTo'>;

async function revokeFromNowOn(tx: Transaction, named: Named): Promise<RevocationResult> {
  const store = new RevocationStore(tx);
  const createdAfter = await store.findCoveredUpTo(named);
  // Stored leases that look newer come from a process whose clock is ahead.
  const newest = await findNewestCreation(tx, named);
  const { revokedAt, reason } = named;
  const createdUpTo = Math.max(revokedAt, newest, createdAfter);
  const revocation: SelectorRevocation = { ...named, createdAfter, createdUpTo };
  const hasOthers = (await store.listUnfinished(named, 1)).length > 0;
  const first = await findFirst(tx, revocation, hasOthers);
  const counted =
    first.length > shownLeases || hasOthers
      ? await count(tx, revocation, hasOthers)
      : { revoked: first.length, more: false };
  const how = { at: revokedAt, by: 'management', reason } as const;
  const shown = first.slice(0, shownLeases);
  if (counted.more || counted.revoked > shownLeases) {
    await store.insert(revocation, null);
    const leases = shown.map((lease) => ({ ...lease, revokedAt, revokedBy: how.by, reason }));
    return { ...counted, leases };
  }
  const due = new Map(shown.map(({ id }) => [id, { reason }]));
  const ended = await new ActStore(tx).revoke(due, how);
  await store.insert(revocation, { at: revokedAt, written: ended.size });
  const leases = shown.flatMap(({ id }) => ended.get(id) ?? []);
  return { revoked: leases.length, more: false, leases };
}

/**
 * The leases that a revocation names, without leases that an earlier one covers and has not written yet. The search ends
 * after `rowsLookedAt` rows: an earlier revocation may cover nearly all of a million.
 */
function newlyRevoked(tx: Transaction, revocation: SelectorRevocation, hasOthers: boolean) {
  const named = tx
    .selectFrom('leases')
    .select(leaseColumns)
    .where((eb) => isOpen(eb, revocation))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsLookedAt);
  return tx
    .selectFrom(named.as('leases'))
    .$if(hasOthers, (query) => query.where((eb) => eb.not(isCovered(eb as unknown as LeaseExpression))));
}

/** The newest leases that are newly revoked, one more than are shown. */
async function findFirst(
  tx: Transaction,
  revocation: SelectorRevocation,
  hasOthers: boolean,
): Promise<Lease[]> {
  const rows = await newlyRevoked(tx, revocation, hasOthers)
    .select(leaseColumns)
    .select((eb) => sessionColumn(eb as unknown as LeaseExpression))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(shownLeases + 1)
    .execute();
  return rows.map(toLease);
}

async function count(
  tx: Transaction,
  revocation: SelectorRevocation,
  hasOthers: boolean,
): Promise<{ revoked: number; more: boolean }> {
  const looked = tx
    .selectFrom('leases')
    // An index alone counts the leases of a viewer or a content.
    .select('created_at')
    .where((eb) => isOpen(eb, revocation))
    .limit(rowsLookedAt);
  const { count: seen } = await tx
    .selectFrom(looked.as('looked'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const more = seen === rowsLookedAt;
  if (!hasOthers) return { revoked: Math.min(seen, countedExactly), more };
  const { count: found } = await newlyRevoked(tx, revocation, true)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { revoked: Math.min(found, countedExactly), more };
}

function notice(entry: LedgerEntry, selector: LeaseSelector, { revoked, more }: RevocationResult): void {
  entry.notice({ topic: 'lease', event: 'revoked', data: { ...selector, revoked, more } });
}
