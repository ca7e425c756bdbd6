import type { Api } from './api.ts';

export const auditOutcomes = ['done', 'refused'] as const;
type AuditOutcome = (typeof auditOutcomes)[number];

/** One management action, done or refused. */
export interface AuditRecord {
  /** Numbers, growing with time. */
  id: string;
  at: string;
  actor: { kind: string; id: string | null };
  /** Such as `api-key.create`. */
  action: string;
  target: string | null;
  clientIp: string | null;
  /** By which the server's log names the request. */
  requestId: string | null;
  outcome: AuditOutcome;
  /** Why it was refused. */
  code: string | null;
  /** Leases that a revocation revoked; null for other acts, and until the last of many is written. */
  affected: number | null;
  /** How many refusals it stands for. Servers before 0.3.0 do not say. */
  count?: number;
}

/** What is left out leaves none out. */
export interface AuditFilter {
  action?: string | undefined;
  /** The id of an actor, or a kind of actors. */
  actor?: string | undefined;
  outcome?: AuditOutcome | undefined;
  /** In full. */
  target?: string | undefined;
  /** ISO 8601: at this time or later. */
  from?: string | undefined;
  /** ISO 8601: before this time. */
  to?: string | undefined;
}

interface AuditQuery extends AuditFilter {
  limit?: number;
  cursor?: string | undefined;
}

export interface AuditPage {
  audit: AuditRecord[];
  next_cursor: string | null;
}

/** Newest first. */
export function listAudit(api: Api, query: AuditQuery, signal?: AbortSignal): Promise<AuditPage> {
  return api.request('GET', '/api/v1/audit', { query: { ...query }, signal });
}

export type ExportFormat = 'csv' | 'jsonl';

/** Everything that matches, newest first, as a file that comes in pieces. One that breaks off is not the whole. */
export function openAuditExport(
  api: Api,
  format: ExportFormat,
  filter: AuditFilter,
  signal: AbortSignal,
): Promise<Response> {
  return api.open('/api/v1/audit/export', { query: { format, ...filter }, signal });
}
