import type { Clock } from '@latchkey/shared/clock';
import { type Cursor, inUnsyncedTransaction, runPaced, tryLockSubject } from '@latchkey/shared/db';
import { isOpen } from './lease-row.ts';
import type { Database, Transaction } from './own-tables.ts';
import { RevocationStore, type UnfinishedRevocation } from './revocation-store.ts';

interface RevocationWriterOptions {
  db: Database;
  clock: Clock;
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
  const { db, clock, signal } = options;
  const store = new RevocationStore(db);
  return {
    /** @returns how many rows were written */
    async run() {
      // Checked before the transactions: it runs once a second, and there is nearly always nothing to do.
      if ((await store.listUnfinished(everything, 1)).length === 0) return 0;
      let written = 0;
      const step = async (rows: number) => {
        const progress = await inUnsyncedTransaction(db, (tx) => writeSome(tx, rows, clock));
        written += progress?.written ?? 0;
        return progress !== null;
      };
      await runPaced(db, { clock, signal, step, isPatient: true });
      return written;
    },
  };
}

/**
 * One transaction of the writer.
 *
 * @param rows as many are written, unless fewer are left
 * @returns how many were written; null if nothing is left to write, or if another process is writing
 */
export async function writeSome(
  tx: Transaction,
  rows: number,
  clock: Clock,
): Promise<{ written: number } | null> {
  if (!(await tryLockSubject(tx, 'revocation-writer'))) return null;
  const store = new RevocationStore(tx);
  const [revocation] = await store.listUnfinished(everything, 1);
  if (!revocation) return null;
  const last = await findNth(tx, revocation, rows);
  const count = await revokeDownTo(tx, revocation, last);
  await store.note(revocation, {
    written: revocation.written + count,
    cursor: last ?? revocation.cursor,
    finishedAt: last ? null : clock.now(),
  });
  return { written: count };
}

/** The nth lease that is to be written next; null if fewer are left. */
async function findNth(tx: Transaction, revocation: UnfinishedRevocation, n: number): Promise<Cursor | null> {
  const row = await tx
    .selectFrom('leases')
    .select(['id', 'created_at'])
    .where((eb) => isOpen(eb, revocation, revocation.cursor))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(n - 1)
    .executeTakeFirst();
  return row ? { id: row.id, at: row.created_at } : null;
}

/**
 * Writes a revocation to the next rows, the last one included. The rows do not pass through this process, whose event loop would
 * read a thousand of them at a time.
 *
 * @param last null for all that are left
 * @returns how many, without rows that another transaction revoked before
 */
async function revokeDownTo(
  tx: Transaction,
  revocation: UnfinishedRevocation,
  last: Cursor | null,
): Promise<number> {
  const { createdAfter, revokedAt, reason, cursor } = revocation;
  const open = { ...revocation, createdAfter: Math.max(createdAfter, (last?.at ?? 0) - 1) };
  const { numUpdatedRows } = await tx
    .updateTable('leases')
    .set({ revoked_at: revokedAt, revoked_by: 'management', reason })
    .where((eb) => isOpen(eb, open, cursor, true))
    .$if(last !== null, (query) =>
      query.where((eb) => eb(eb.refTuple('created_at', 'id'), '>=', eb.tuple(last?.at ?? 0, last?.id ?? ''))),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
