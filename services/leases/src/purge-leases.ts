import type { Clock } from '@latchkey/shared/clock';
import {
  getAsideWriter,
  inUnsyncedTransaction,
  runPaced,
  type TableCheck,
  tryLockSubject,
} from '@latchkey/shared/db';
import { purgeChanges } from '@latchkey/shared/events/rows';
import { LeaseStore } from './lease-store.ts';
import { MarkStore } from './mark-store.ts';
import type { Database, Transaction } from './own-tables.ts';
import { RevocationStore } from './revocation-store.ts';
import { purgeSessions } from './session-store.ts';

const hourMs = 3_600_000;
/** An ended lease can be looked up for a day: long enough for support to see last night's leases. */
const keptLeaseMs = 24 * hourMs;
/** A follower of the change feed that was away for longer drops every state and starts again, which is correct, too. */
const keptChangeMs = hourMs;

interface LeasePurgeOptions {
  db: Database;
  clock: Clock;
  /** Whether the table is there (migration 0004). */
  revocations: TableCheck;
  /** Same for migration 0007. */
  sessions: TableCheck;
  /** Ends a run between two transactions. */
  signal: AbortSignal;
  renewGraceSeconds: number;
  /** `AUTH_JWT_MAX_AGE_SECONDS`: no token that is accepted is older, so no older mark can refuse one. */
  tokenMaxAgeSeconds: number;
  /**
   * `AUTH_JWT_CLOCK_TOLERANCE_SECONDS`. It counts twice: a mark holds for tokens issued up to so long after it, and a
   * replica whose clock is behind by as much accepts them for longer.
   */
  clockToleranceSeconds: number;
}

/** How many rows a run removed. */
interface Purged {
  leases: number;
  marks: number;
  changes: number;
  revocations: number;
}

/** Another process is purging. */
class PurgedElsewhere extends Error {}

/**
 * Removes the rows that no decision can need any more, in as many short transactions as it takes. It must keep up with 5,000 new
 * leases a second. On SQLite a separate thread writes. Nothing depends on when it runs, because leases expire by comparison.
 */
export function createLeasePurge(options: LeasePurgeOptions): { run(): Promise<Purged> } {
  const { db, clock, revocations, sessions, signal } = options;

  const aside = getAsideWriter(db);

  async function removeAll(
    removeSome: (rows: Database | Transaction, limit: number) => Promise<number>,
  ): Promise<number> {
    let removed = 0;
    const step = async (limit: number) => {
      const count = aside
        ? await removeSome(aside, limit)
        : await removeInTurn((tx) => removeSome(tx, limit));
      removed += count;
      return count > 0;
    };
    await runPaced(db, { clock, signal, step, isAside: aside !== null });
    return removed;
  }

  /** One process at a time, so that several do not wait for each other's rows. */
  function removeInTurn(remove: (tx: Transaction) => Promise<number>): Promise<number> {
    return inUnsyncedTransaction(db, async (tx) => {
      if (!(await tryLockSubject(tx, 'lease-purge'))) throw new PurgedElsewhere();
      return remove(tx);
    });
  }

  async function run(): Promise<Purged> {
    const purged: Purged = { leases: 0, marks: 0, changes: 0, revocations: 0 };
    const now = clock.now();
    const revokedBefore = now - keptLeaseMs;
    const expiredBefore = revokedBefore - options.renewGraceSeconds * 1_000;
    const markedBefore = now - (options.tokenMaxAgeSeconds + 2 * options.clockToleranceSeconds) * 1_000;
    const bounds = { expiredBefore, revokedBefore };
    purged.leases = await removeAll((tx, limit) => new LeaseStore(tx, false).purge(bounds, limit));
    // A session ends no sooner than its lease, whose row is gone by now.
    if (!signal.aborted && (await sessions.isThere(db)))
      await removeAll((tx, limit) => purgeSessions(tx, expiredBefore, limit));
    purged.marks = await removeAll((tx, limit) => new MarkStore(tx).purge(markedBefore, limit));
    purged.changes = await removeAll((tx) => purgeChanges(tx, now - keptChangeMs));
    // Last, once every lease is gone that had ended before such a revocation: a longer LEASE_RENEW_GRACE_SECONDS could
    // otherwise bring one back. A revocation whose rows are not all written stays, however old it is.
    if (!signal.aborted && (await revocations.isThere(db))) {
      purged.revocations = await removeAll((tx, limit) =>
        new RevocationStore(tx).purge(Math.min(expiredBefore, markedBefore), limit),
      );
    }
    return purged;
  }

  return {
    async run() {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof PurgedElsewhere)) throw error;
        return { leases: 0, marks: 0, changes: 0, revocations: 0 };
      }
    },
  };
}
