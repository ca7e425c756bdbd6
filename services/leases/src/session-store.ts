import { rowList } from '@latchkey/shared/db';
import type { Lease } from './lease.ts';
import type { Transaction } from './own-tables.ts';

/** Inserts the row in `sessions` of each lease that is a session. */
export async function insertSessions(tx: Transaction, leases: readonly Lease[]): Promise<void> {
  const rows = leases.flatMap(({ id, session }) =>
    session ? [{ lease_id: id, ...toColumns(session) }] : [],
  );
  if (rows.length > 0) await tx.insertInto('sessions').values(rows).execute();
}

function toColumns({ secretHash, ttlMs, endsAt, usedAt }: NonNullable<Lease['session']>) {
  return { secret_hash: secretHash, ttl_ms: ttlMs, ends_at: endsAt, used_at: usedAt };
}

/** Notes the last use of sessions, by lease id. */
export async function noteUses(
  tx: Transaction,
  uses: ReadonlyMap<string, { usedAt: number }>,
): Promise<void> {
  if (uses.size === 0) return;
  const asked = [...uses].map(([id, { usedAt }]) => ({ asked_id: id, used: usedAt }));
  await tx
    .updateTable('sessions')
    .from(rowList(tx, { asked_id: 'text', used: 'bigint' } as const, asked).as('given'))
    .set((eb) => ({ used_at: eb.ref('given.used') }))
    .whereRef('lease_id', '=', 'given.asked_id')
    .execute();
}
