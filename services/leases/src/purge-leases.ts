import type { Clock } from '@latchkey/shared/clock';
import {
  createPurgeClock,
  getAsideWriter,
  inUnsyncedTransaction,
  runPaced,
  tryLockSubject,
} from '@latchkey/shared/db';
import { purgeChanges } from '@latchkey/shared/events/database';
import type { Database, Transaction } from './own-tables.ts';
import { type AgedTable, removeOldest } from './remove-oldest.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

interface LeasePurgeOptions {
  db: Database;
  clock: Clock;
  /** Ends a run between two transactions. */
  signal: AbortSignal;
  renewGraceSeconds: number;
  /** `LEASES_KEEP_HOURS`. */
  keepHours: number;
  /** `CHANGES_KEEP_MINUTES`: a follower of the feed that was away for longer drops every state and starts again. */
  changesKeepMinutes: number;
  /** See `marksKeptMs` in `config.ts`. */
  marksKeptMs: number | null;
  /** See `createPurgeClock`. */
  onClockStep?: (waitMs: number) => void;
  /** Called after each step: what it removed, and how long it may have held its locks. */
  observe?: (table: PurgedTable, rows: number, heldMs: number) => void;
}

type PurgedTable = AgedTable | 'changes';

/** How many rows a run removed. */
type Purged = Record<PurgedTable, number>;

const nothing: Purged = { leases: 0, sessions: 0, marks: 0, viewer_blocks: 0, changes: 0, revocations: 0 };

/** Another process is purging. */
class PurgedElsewhere extends Error {}

/**
 * Removes the rows that no decision can need any more, in as many short transactions as it takes. It must keep up with 5,000 new
 * leases a second. On SQLite a separate thread writes. Nothing depends on when it runs, because leases expire by comparison.
 */
export function createLeasePurge(options: LeasePurgeOptions): { run(): Promise<Purged> } {
  const { db, clock, signal } = options;
  const aside = getAsideWriter(db);
  const readPurgeTime = createPurgeClock(options);

  async function removeAll(table: PurgedTable, before: number): Promise<number> {
    const removeSome = (rows: Database | Transaction, limit: number) =>
      table === 'changes' ? purgeChanges(rows, before, limit) : removeOldest(rows, table, before, limit);
    let removed = 0;
    let last = 0;
    const step = async (limit: number) => {
      const count = aside
        ? await removeSome(aside, limit)
        : await removeInTurn((tx) => removeSome(tx, limit));
      removed += count;
      last = count;
      return count > 0;
    };
    const onStep = (heldMs: number) => options.observe?.(table, last, heldMs);
    await runPaced(db, { clock, signal, step, isAside: aside !== null, onStep });
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
    const purged = { ...nothing };
    const now = await readPurgeTime();
    const expiredBefore = now - options.keepHours * hourMs - options.renewGraceSeconds * 1_000;
    const markedBefore = options.marksKeptMs === null ? null : now - options.marksKeptMs;
    purged.leases = await removeAll('leases', expiredBefore);
    // A session ends no sooner than its lease, whose row is gone by now.
    if (!signal.aborted) purged.sessions = await removeAll('sessions', expiredBefore);
    if (markedBefore !== null) purged.marks = await removeAll('marks', markedBefore);
    // A block that ended refuses nobody. The hour is for processes whose clocks are behind.
    purged.viewer_blocks = await removeAll('viewer_blocks', now - hourMs);
    purged.changes = await removeAll('changes', now - options.changesKeepMinutes * minuteMs);
    // Last, once every lease is gone that had ended before such a revocation: a longer LEASE_RENEW_GRACE_SECONDS could
    // otherwise bring one back. A revocation whose rows are not all written stays, however old it is.
    // It ends leases, and marks refuse tokens: it is not needed for as long as a mark that is always kept.
    const revokedBefore = Math.min(expiredBefore, markedBefore ?? expiredBefore);
    if (!signal.aborted) purged.revocations = await removeAll('revocations', revokedBefore);
    return purged;
  }

  return {
    async run() {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof PurgedElsewhere)) throw error;
        return { ...nothing };
      }
    },
  };
}
