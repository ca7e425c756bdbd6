import type { Selectable } from 'kysely';
import type { AuditEntry } from '../contracts/index.ts';
import type { Database, Transaction } from '../db/index.ts';
import type { AuditTable } from '../db/schema.ts';
import { type AuditRecord, redacted, toAuditRecord } from './audit-record.ts';

/** Content of the row. A raw key or token that a caller put into an id is hidden. */
export function toAuditRow(
  entry: AuditEntry,
  at: number,
): Omit<Selectable<AuditTable>, 'number' | 'affected' | 'count'> {
  return {
    at,
    actor_kind: entry.actor.kind,
    actor_id: redacted(entry.actor.id),
    action: entry.action,
    target: redacted(entry.target),
    client_ip: entry.clientIp,
    request_id: redacted(entry.requestId),
    outcome: entry.outcome,
    code: entry.code,
  };
}

/** Writes one audit row in the transaction of the act, so that neither exists without the other. */
export async function writeAudit(
  db: Database | Transaction,
  entry: AuditEntry,
  at: number,
): Promise<AuditRecord> {
  const row = toAuditRow(entry, at);
  const { number } = await db.insertInto('audit').values(row).returning('number').executeTakeFirstOrThrow();
  return toAuditRecord({ ...row, number, affected: null, count: null });
}
