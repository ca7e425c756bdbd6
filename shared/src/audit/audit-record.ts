import type { Selectable } from 'kysely';
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
export function redacted(text: string | null): string | null {
  return text === null ? null : redact(text);
}
