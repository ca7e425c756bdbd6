import type { Selectable } from 'kysely';
import type { AuditTable } from '../db/schema.ts';

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
  /** Leases that the act revoked; null where it is not such an act, and until all of them are written. */
  affected: number | null;
}

export function toAuditRecord(row: Selectable<AuditTable>): AuditRecord {
  return {
    id: String(row.number),
    at: new Date(row.at).toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    target: row.target,
    clientIp: row.client_ip,
    requestId: row.request_id,
    outcome: row.outcome,
    code: row.code,
    affected: row.affected,
  };
}
