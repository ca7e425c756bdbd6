import { isUuid } from '@latchkey/shared/contracts';
import { isPostgres } from '@latchkey/shared/db';
import { ActStore } from './acts/act-store.ts';
import type { Lease } from './lease.ts';
import type { LeaseWriting } from './lease-route-options.ts';
import type { Transaction } from './own-tables.ts';
import { planExtension } from './session-rules.ts';
import { noteUses } from './session-store.ts';

/** Sessions of one transaction: some 60 µs each on SQLite, so that others wait some 4 ms. A thousand with a TTL of 300 s are 13 a second. */
const sessionsAtATime = 64;

/** @param uses lease id → wall clock of the latest use, in milliseconds since 1970. Sent by other services, so anything may be in it */
export type ExtendSessions = (uses: ReadonlyMap<string, number>) => Promise<void>;

/**
 * Extends sessions that were used: from the use on by their TTL, up to their end. A session is written at most once in a quarter of its
 * TTL, however often and by however many replicas it is reported.
 *
 * One that is revoked or has expired by now stays so. A late report brings nothing back: the place of an expired session may be
 * taken (`LEASE_MAX_PER_VIEWER`), and its next request has been refused already.
 *
 * @throws the database's error; the uses may be reported again then
 */
export function createSessionExtender(service: LeaseWriting): ExtendSessions {
  const { db, clock, ledger } = service;
  return async (uses) => {
    const ids = [...uses.keys()].filter(isUuid);
    for (let from = 0; from < ids.length; from += sessionsAtATime) {
      const asked = ids.slice(from, from + sessionsAtATime);
      const found = await new ActStore(db).find(asked);
      // Most reports that come twice end here, without a transaction.
      const due = asked.filter((id) => plan(found.get(id), uses.get(id), clock.now()) !== null);
      if (due.length > 0) await ledger.write((entry) => extend(entry, due));
    }

    type Entry = Parameters<Parameters<typeof ledger.write>[0]>[0];
    async function extend(entry: Entry, due: readonly string[]): Promise<void> {
      const { tx } = entry;
      await lockLeases(tx, due);
      const now = clock.now();
      const store = new ActStore(tx);
      const found = await store.find(due);
      const plans = new Map(
        due.flatMap((id) => {
          const extension = plan(found.get(id), uses.get(id), now);
          return extension ? [[id, extension]] : [];
        }),
      );
      await noteUses(tx, plans);
      const renewals = new Map(
        [...plans].map(([id, { usedAt, expiresAt }]) => [id, { at: usedAt, expiresAt, expiringAfter: now }]),
      );
      for (const lease of (await store.renew(renewals)).values()) entry.renewed(lease);
    }
  };
}

function plan(lease: Lease | undefined, usedAt: number | undefined, now: number) {
  return lease && usedAt !== undefined ? planExtension(lease, usedAt, now) : null;
}

/** In the order of their ids: two processes that extend the same sessions must not wait for each other. */
async function lockLeases(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (!isPostgres(tx)) return;
  await tx.selectFrom('leases').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute();
}
