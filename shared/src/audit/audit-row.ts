import type { Selectable } from 'kysely';
import type { AuditDetails, AuditEntry, LeaseNames } from '../contracts/index.ts';
import { type Database, rowList, type Transaction } from '../db/index.ts';
import type { AuditTable } from '../db/schema.ts';
import { redact, redactId, redactName } from '../log/index.ts';

export type AuditRecord = ReturnType<typeof toAuditRecord>;

/** An audit row as the API shows it. */
export function toAuditRecord(row: Selectable<AuditTable>) {
  return {
    id: String(row.number),
    at: new Date(row.at).toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id },
    /** The person whom a proxy with sign-on named; null for none. */
    person: row.person,
    action: row.action,
    target: row.target,
    clientIp: row.client_ip,
    requestId: row.request_id,
    outcome: row.outcome,
    code: row.code,
    /** Number of leases that the act revoked. Null where the act revokes none, and until all of their rows are written. */
    affected: row.affected,
    /** Number of refusals that the row counts; 1 for an act. */
    count: row.count ?? 1,
    /** Why it was done and what it changed; null if the row does not say. */
    details: readDetails(row.details),
  };
}

/** The JSON in the `details` column of a row. */
interface StoredDetails extends AuditDetails {
  names?: LeaseNames;
}

/** Of a row that somebody has changed by hand, whatever can be read: it must not hide the others. */
function readStored(text: string | null): StoredDetails | null {
  try {
    return text === null ? null : (JSON.parse(text) as StoredDetails);
  } catch {
    return null;
  }
}

/** Without the names: the target shows them. */
function readDetails(text: string | null): AuditDetails | null {
  const stored = readStored(text);
  if (!stored?.names) return stored;
  const { names: _, ...details } = stored;
  return Object.keys(details).length === 0 ? null : details;
}

/** The leases that the act of a row names. All members are null if it was not an act on leases. */
export function readNames({ details }: Pick<Selectable<AuditTable>, 'details'>): LeaseNames {
  return readStored(details)?.names ?? { leaseId: null, viewerId: null, contentId: null };
}

/** Hides raw keys and tokens; null stays null. */
function hideInId(id: string | null): string | null {
  return id === null ? null : redactId(id);
}

/** An act names what there is. A refusal names any text that a caller has sent, such as the id of a session. */
function hideInTarget({ target, outcome }: Pick<AuditEntry, 'target'> & { outcome: string }): string | null {
  if (target === null) return null;
  return outcome === 'refused' ? redact(target) : redactId(target);
}

/** Content of the row. A raw key or token that a caller put into an id is hidden. */
export function toAuditRow(
  entry: AuditEntry,
  at: number,
): Omit<Selectable<AuditTable>, 'number' | 'affected' | 'count'> {
  return {
    at,
    actor_kind: entry.actor.kind,
    actor_id: hideInId(entry.actor.id),
    person: hideInId(entry.person ?? null),
    action: entry.action,
    target: hideInTarget(entry),
    client_ip: entry.clientIp,
    request_id: hideInId(entry.requestId),
    outcome: entry.outcome,
    code: entry.code,
    details: toDetails(entry),
  };
}

/** As many characters of a value are kept as a person reads. Metadata may have 16 KiB. */
const keptCharacters = 1_000;

/** The details as a row keeps them: without what stayed the same. A raw key or token in them is hidden, and a long value is cut. */
function toDetails({ details, names }: AuditEntry): string | null {
  // Before anything is cut: half of a key would not be known as one.
  const { reason, changes = {} } = redactAll(details ?? {}) as AuditDetails;
  const kept = Object.entries(changes)
    .filter(([, { before, after }]) => JSON.stringify(before) !== JSON.stringify(after))
    .map(([name, { before, after }]) => [name, { before: shorten(before), after: shorten(after) }]);
  const stored: StoredDetails = {
    ...(reason !== undefined && { reason }),
    ...(kept.length > 0 && { changes: Object.fromEntries(kept) }),
    ...(names && { names: redactAll(names) as LeaseNames }),
  };
  return Object.keys(stored).length === 0 ? null : JSON.stringify(stored);
}

/** Each text within a value, names included. Not their JSON as one text: hiding also decodes, which could break it. */
function redactAll(value: unknown): unknown {
  if (typeof value === 'string') return redactName(value);
  if (Array.isArray(value)) return value.map(redactAll);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redactName(name), redactAll(inner)]),
  );
}

function shorten(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text !== undefined && text.length > keptCharacters
    ? `${text.slice(0, keptCharacters)}…`
    : (value ?? null);
}

/**
 * Writes audit rows in the transaction of their acts, so that neither exists without the other.
 *
 * @returns the rows, in the order of the entries
 */
export async function writeAudits(
  db: Database | Transaction,
  entries: readonly AuditEntry[],
  at: number,
): Promise<AuditRecord[]> {
  if (entries.length === 0) return [];
  const rows = entries.map((entry) => toAuditRow(entry, at));
  const given = rowList(db, auditColumns, rows).as('given');
  const names = Object.keys(auditColumns) as (keyof typeof auditColumns)[];
  const written = await db
    .insertInto('audit')
    .columns(names)
    // Postgres and SQLite number the rows in this order.
    .expression(db.selectFrom(given).select(names).orderBy('place'))
    .returning('number')
    .execute();
  const numbers = written.map(({ number }) => number).sort((a, b) => a - b);
  return rows.map((row, n) =>
    toAuditRecord({ ...row, number: Number(numbers[n]), affected: null, count: null }),
  );
}

const auditColumns = {
  at: 'bigint',
  actor_kind: 'text',
  actor_id: 'text',
  person: 'text',
  action: 'text',
  target: 'text',
  client_ip: 'text',
  request_id: 'text',
  outcome: 'text',
  code: 'text',
  details: 'text',
} as const;
