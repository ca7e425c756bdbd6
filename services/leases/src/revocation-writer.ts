import type { Clock } from '@latchkey/shared/clock';
import { inUnsyncedTransaction, runPaced, type TableCheck, tryLockSubject } from '@latchkey/shared/db';
import type { Database, Transaction } from './own-tables.ts';
import { RevocationStore, type UnfinishedRevocation } from './revocation-store.ts';
import { findOpen, revokeRows } from './revoke-rows.ts';

interface RevocationWriterOptions {
  db: Database;
  clock: Clock;
  /** Whether the table is there (migration 0004). */
  revocations: TableCheck;
  /** Ends a run between two transactions. The next run or another process continues. */
  signal: AbortSignal;
}

const everything = { viewerId: null, contentId: null };

/**
 * Writes revocations by viewer or content to the rows of their leases. They hold before, so readers do not depend on it: it keeps
 * the table of revocations short for them.
 *
 * Each transaction writes some rows and how far it got, so a restart continues there. One process at a time writes, and the
 * revocations take their turns in the order of their numbers: so a lease that two of them name is the first one's.
 */
export function createRevocationWriter(options: RevocationWriterOptions): { run(): Promise<number> } {
  const { db, clock, revocations, signal } = options;
  const store = new RevocationStore(db);
  return {
    /** @returns how many rows were written */
    async run() {
      if (!(await revocations.isThere(db))) return 0;
      // Checked before the transactions: it runs once a second, and there is nearly always nothing to do.
      if ((await store.listUnfinished(everything, 1)).length === 0) return 0;
      let written = 0;
      const step = async (rows: number) => {
        const progress = await inUnsyncedTransaction(db, (tx) => writeSome(tx, rows, clock));
        written += progress?.written ?? 0;
        return progress !== null;
      };
      await runPaced(db, { clock, signal, step });
      return written;
    },
  };
}

/** @returns how many rows were written; null if nothing is left to write, or if another process is writing */
async function writeSome(tx: Transaction, rows: number, clock: Clock): Promise<{ written: number } | null> {
  if (!(await tryLockSubject(tx, 'revocation-writer'))) return null;
  const store = new RevocationStore(tx);
  const [revocation] = await store.listUnfinished(everything, 1);
  if (!revocation) return null;
  const chosen = await findOpen(tx, revocation, rows, revocation.cursor);
  const written = await revokeRows(
    tx,
    chosen.map(({ id }) => id),
    { at: revocation.revokedAt, by: 'management', reason: revocation.reason },
  );
  const isLast = chosen.length < rows;
  await store.note(
    revocation,
    progressOf(revocation, written.length, chosen.at(-1), isLast ? clock.now() : null),
  );
  return { written: written.length };
}

function progressOf(
  { written, cursor }: UnfinishedRevocation,
  count: number,
  last: UnfinishedRevocation['cursor'] | undefined,
  finishedAt: number | null,
) {
  return { written: written + count, cursor: last ?? cursor, finishedAt };
}
