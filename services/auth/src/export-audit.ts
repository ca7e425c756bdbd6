import { type AuditRecord, toAuditRecord } from '@latchkey/shared/audit';
import type { AuditFilter } from './audit-store.ts';
import { listAuditRows } from './list-audit.ts';
import type { Database } from './own-tables.ts';

/** Some milliseconds of work on either database, and some 100 KB in memory. */
const rowsPerPage = 500;

export const exportFormats = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportMediaTypes: Record<ExportFormat, string> = {
  // RFC 7111 section 5.1: without it, US-ASCII; RFC 4180 section 3: the first line names the columns.
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

/** The columns of the CSV file in their order, each with its cell. */
const columns: Readonly<Record<string, (record: AuditRecord) => string | null>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  actor_kind: ({ actor }) => actor.kind,
  actor_id: ({ actor }) => actor.id,
  action: ({ action }) => action,
  target: ({ target }) => target,
  client_ip: ({ clientIp }) => clientIp,
  request_id: ({ requestId }) => requestId,
  outcome: ({ outcome }) => outcome,
  code: ({ code }) => code,
  affected: ({ affected }) => (affected === null ? null : String(affected)),
  count: ({ count }) => String(count),
  details: ({ details }) => (details === null ? null : JSON.stringify(details)),
  person: ({ person }) => person,
};
const cells = Object.values(columns);

/**
 * All matching rows, newest first, as pieces of text. A page is read when the one before was consumed, so an audit of any size
 * takes constant memory.
 */
export async function* exportAudit(
  db: Database,
  filter: AuditFilter,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield toCsvLine(Object.keys(columns));
  const toLine =
    format === 'csv' ? (record: AuditRecord) => toCsvLine(cells.map((cellOf) => cellOf(record))) : toJsonLine;
  for (let after: number | null = null; ; ) {
    const { rows, next } = await listAuditRows(db, filter, { after, limit: rowsPerPage });
    if (rows.length > 0) yield rows.map((row) => toLine(toAuditRecord(row))).join('');
    if (next === null) return;
    after = next;
  }
}

function toJsonLine(record: AuditRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/**
 * One line of RFC 4180. A cell that a spreadsheet would run as a formula gets an apostrophe in front, which makes it
 * text (OWASP, "CSV Injection"): viewers choose their ids, and an admin opens the file.
 */
export function toCsvLine(cells: readonly (string | null)[]): string {
  const written = cells.map((cell) => {
    const text = cell === null ? '' : /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${written.join(',')}\r\n`;
}
