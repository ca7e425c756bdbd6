import type { Transaction } from 'kysely';
import { writeAudits } from '../audit/audit-row.ts';
import type { Clock } from '../clock/clock.ts';
import type { AuditEntry } from '../contracts/index.ts';
import { type Database, inTransaction, type Schema } from '../db/index.ts';
import type { Bus } from './bus.ts';
import type { Change } from './change.ts';
import { appendChanges } from './database-feed.ts';
import type { BusMessage, Notice } from './message.ts';

/**
 * One act while it is being written: its rows, its audit and its place in the change feed stand or fall together. `DB` is the
 * tables that its writer may use.
 */
export interface LedgerEntry<DB = Schema> {
  readonly tx: Transaction<DB>;
  /** The wall clock when the act began: one time for all of its rows. */
  readonly now: number;
  /** @returns the number of the change in the feed */
  change(change: Change): Promise<number>;
  /** As `change`, for many in one statement. @returns their numbers, in their order */
  changes(changes: readonly Change[]): Promise<number[]>;
  /** @returns the number of the row in the audit */
  audit(entry: AuditEntry): Promise<number>;
  /** As `audit`, for many in one statement. */
  audits(entries: readonly AuditEntry[]): Promise<void>;
  /** Shown on the event stream after the commit. */
  notice(notice: Notice): void;
  /** Tells caches after the commit to drop the lease, because its expiry has moved. The event stream shows the notice. */
  renewal(leaseId: string, notice: Notice): void;
}

/** Writes acts. */
export interface Ledger<DB = Schema> {
  /**
   * Runs the work in one transaction and announces its changes after the commit. When the promise resolves, this process
   * has dropped the states that the changes name. The work may run again where the database aborts it.
   */
  write<T>(work: (entry: LedgerEntry<DB>) => Promise<T>): Promise<T>;
}

export function createLedger({ db, bus, clock }: { db: Database; bus: Bus; clock: Clock }): Ledger {
  return {
    async write(work) {
      let announcements: BusMessage[] = [];
      const result = await inTransaction(db, (tx) => {
        announcements = [];
        const now = clock.now();
        const changes = async (given: readonly Change[]) => {
          const places = await appendChanges(tx, given, now);
          for (const [n, { number, link }] of places.entries()) {
            const change = given[n];
            if (change) announcements.push({ type: 'change', number, at: now, link, change });
          }
          return places.map(({ number }) => number);
        };
        const audits = async (entries: readonly AuditEntry[]) => {
          const records = await writeAudits(tx, entries, now);
          for (const data of records)
            announcements.push({ type: 'notice', notice: { topic: 'audit', event: 'recorded', data } });
          return records;
        };
        return work({
          tx,
          now,
          changes,
          change: async (change) => Number((await changes([change]))[0]),
          audits: async (entries) => void (await audits(entries)),
          audit: async (entry) => Number((await audits([entry]))[0]?.id),
          notice: (notice) => void announcements.push({ type: 'notice', notice }),
          renewal: (leaseId, notice) => void announcements.push({ type: 'renewal', leaseId, notice }),
        });
      });
      for (const message of announcements) bus.publish(message);
      return result;
    },
  };
}
