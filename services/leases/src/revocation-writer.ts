import type { Clock } from '@latchkey/shared/clock';
import { type Cursor, inUnsyncedTransaction, runPaced, tryLockSubject } from '@latchkey/shared/db';
import type { Lease } from './lease.ts';
import { isOpen, leaseColumns, type OpenLeases, toLease } from './lease-row.ts';
import type { Revocation } from './lease-store.ts';
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

/** Writes a revocation to the rows of these leases. Newest first; without those that another transaction revoked before. */
export async function revokeRows(
  tx: Transaction,
  ids: readonly string[],
  { at, by, reason }: Revocation,
): Promise<Lease[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .updateTable('leases')
    .set({ revoked_at: at, revoked_by: by, reason })
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .returning(leaseColumns)
    .execute();
  return rows.map(toLease).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}

/** The newest leases that a revocation would write, after the cursor. */
export async function findOpen(
  tx: Transaction,
  open: OpenLeases,
  limit: number,
  after: Cursor | null,
): Promise<Cursor[]> {
  const rows = await tx
    .selectFrom('leases')
    .select(['id', 'created_at'])
    .where((eb) => isOpen(eb, open, after))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, created_at }) => ({ id, at: created_at }));
}
