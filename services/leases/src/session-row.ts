import { type ExpressionBuilder, sql } from 'kysely';
import type { Lease, LeaseSession } from './lease.ts';
import type { Database, Schema, Transaction } from './own-tables.ts';

/**
 * The column `session` of a lease: the columns of its row in `sessions` as one text, null where it is a player's. One look-up by the primary
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

/** The leases with their sessions, for statements that do not read them. One statement, at most a hundred leases. */
export async function addSessions(db: Database | Transaction, leases: readonly Lease[]): Promise<Lease[]> {
  if (leases.length === 0) return [];
  const rows = await db
    .selectFrom('leases')
    .where(
      'id',
      'in',
      leases.map(({ id }) => id),
    )
    .select((eb) => ['id', sessionColumn(eb)])
    .execute();
  const sessions = new Map(rows.map(({ id, session }) => [id, session]));
  return leases.map((lease) => {
    const session = sessions.get(lease.id);
    return session ? { ...lease, session: readSession(session) } : lease;
  });
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
