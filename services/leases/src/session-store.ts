import { rowList } from '@latchkey/shared/db';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Lease, LeaseSession } from './lease.ts';
import type { Schema, Transaction } from './own-tables.ts';

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

/**
 * The column `session` of a lease: the columns of its row in `sessions` as one text, null for the lease of a player. One look-up by the primary
 * key for each lease, in the statement that reads or changes it.
 */
export function sessionColumn(eb: ExpressionBuilder<Schema, 'leases'>) {
  const times = sql`cast(ttl_ms as text) || ' ' || cast(ends_at as text) || ' ' || coalesce(cast(used_at as text), '')`;
  const columns = sql<string>`secret_hash || ' ' || ${times}`;
  return eb
    .selectFrom('sessions')
    .whereRef('sessions.lease_id', '=', 'leases.id')
    .select(columns.as('session'))
    .as('session');
}

/** @param text of `sessionColumn` */
export function readSession(text: string): LeaseSession {
  const [secretHash = '', ttlMs, endsAt, usedAt] = text.split(' ');
  return {
    secretHash,
    ttlMs: Number(ttlMs),
    endsAt: Number(endsAt),
    usedAt: usedAt ? Number(usedAt) : null,
  };
}
