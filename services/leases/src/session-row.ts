import { type ExpressionBuilder, sql } from 'kysely';
import type { LeaseSession } from './lease.ts';
import type { Schema } from './own-tables.ts';

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
