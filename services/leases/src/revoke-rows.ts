import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cursor } from '@latchkey/shared/db';
import type { Lease } from './lease.ts';
import { isOpen, leaseColumns, type OpenLeases, toLease } from './lease-row.ts';
import type { Revocation } from './lease-store.ts';
import type { Transaction } from './own-tables.ts';

/** Some 20 ms on either database: during a statement on SQLite the process answers no request. */
const rowsPerStatement = 1_000;

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

/**
 * Revokes every row before it returns: on a schema without the table of revocations (before migration 0004). Only the
 * newest `shown` come back, because there may be more than fit in memory.
 */
export async function revokeAllRows(
  tx: Transaction,
  open: OpenLeases,
  revocation: Revocation,
  shown: number,
): Promise<{ revoked: number; leases: Lease[] }> {
  const leases: Lease[] = [];
  let revoked = 0;
  for (let after: Cursor | null = null; ; ) {
    const found: Cursor[] = await findOpen(tx, open, rowsPerStatement, after);
    const ids = found.map(({ id }) => id);
    const written = await revokeRows(tx, ids, revocation);
    leases.push(...written.slice(0, shown - leases.length));
    revoked += written.length;
    after = found.at(-1) ?? null;
    if (after === null || found.length < rowsPerStatement) return { revoked, leases };
    // SQLite's answers come without a turn of the event loop: without this, no key would be served until the last row.
    await nextTurn();
  }
}
