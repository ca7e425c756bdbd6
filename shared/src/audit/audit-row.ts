import type { Selectable } from 'kysely';
import type { AuditEntry } from '../contracts/index.ts';
import type { Database, Transaction } from '../db/index.ts';
import type { AuditTable } from '../db/schema.ts';
import { redact } from '../log/index.ts';

/** An audit row as the API shows it. */
export interface AuditRecord extends Record<string, unknown> {
  id: string;
  at: string;
  actor: { kind: string; id: string | null };
  action: string;
  target: string | null;
  clientIp: string | null;
  requestId: string | null;
  outcome: string;
  code: string | null;
  /** Number of leases that the act revoked. Null where the act revokes none, and until all of their rows are written. */
  affected: number | null;
  /** How many refusals the row stands for; 1 for an act. */
  count: number;
}

/**
 * Earlier releases wrote rows that may hold a raw key or token in clear. A newer process on the same database hides them
 * when it reads.
 */
export function toAuditRecord(row: Selectable<AuditTable>): AuditRecord {
  return {
    id: String(row.number),
    at: new Date(row.at).toISOString(),
    actor: { kind: row.actor_kind, id: redacted(row.actor_id) },
    action: row.action,
    target: redacted(row.target),
    clientIp: row.client_ip,
    requestId: redacted(row.request_id),
    outcome: row.outcome,
    code: row.code,
    affected: row.affected,
    count: row.count ?? 1,
  };
}

/** Hides raw keys and tokens; null stays null. */
function redacted(text: string | null): string | null {
  return text === null ? null : redact(text);
}

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
