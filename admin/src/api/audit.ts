import type { Api } from './api.ts';

export const auditOutcomes = ['done', 'refused'] as const;
type AuditOutcome = (typeof auditOutcomes)[number];

/** One management action, done or refused. */
export interface AuditRecord {
  /** A number that grows with time. */
  id: string;
  at: string;
  actor: { kind: string; id: string | null };
  /** The person whom a proxy with sign-on named. */
  person: string | null;
  /** Such as `api-key.create`. */
  action: string;
  target: string | null;
  clientIp: string | null;
  /** Identifies the request in the server's log. */
  requestId: string | null;
  outcome: AuditOutcome;
  /** The error code of a refusal. */
  code: string | null;
  /** Number of leases that a revocation ended; null for other actions, and until the last lease is written. */
  affected: number | null;
  /** Number of refusals that it stands for. */
  count: number;
  /** Why it was done and what it changed; null if the record does not say. */
  details: AuditDetails | null;
}

export interface AuditDetails {
  reason?: string;
  /** By the names of the API. */
  changes?: Record<string, { before: unknown; after: unknown }>;
}

/** A missing member matches everything. */
export interface AuditFilter {
  action?: string | undefined;
  /** ID or kind of an actor. */
  actor?: string | undefined;
  outcome?: AuditOutcome | undefined;
  /** The whole target. */
  target?: string | undefined;
  /** ISO 8601: at this time or later. */
  from?: string | undefined;
  /** ISO 8601: before this time. */
  to?: string | undefined;
}

/** The order of the list beside the usual one, newest first. */
export const auditOrders = ['at'] as const;
export type AuditOrder = (typeof auditOrders)[number];

interface AuditQuery extends AuditFilter {
  sort?: AuditOrder | undefined;
  limit?: number;
  cursor?: string | undefined;
}

export interface AuditPage {
  audit: AuditRecord[];
  /** With several filters, a page may be short or empty although another page follows. */
  next_cursor: string | null;
  /** Number of matches on all pages, counted up to `auditCountedUpTo`. Null if unknown. */
  total: number | null;
}

export const auditCountedUpTo = 10_000;

export function listAudit(api: Api, query: AuditQuery, signal?: AbortSignal): Promise<AuditPage> {
  return api.request('GET', '/api/v1/audit', { query: { ...query }, signal });
}

export type ExportFormat = 'csv' | 'jsonl';

/** All matching records, newest first, as a streamed file. A body that breaks off is incomplete. */
export function openAuditExport(
  api: Api,
  format: ExportFormat,
  filter: AuditFilter,
  signal: AbortSignal,
): Promise<Response> {
  return api.open('/api/v1/audit/export', { query: { format, ...filter }, signal });
}
