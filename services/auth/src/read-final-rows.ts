import { isPostgres, rowList } from '@latchkey/shared/db';
import { sql } from 'kysely';
import type { AuditRow } from './audit-store.ts';
import type { Database, Transaction } from './own-tables.ts';

/** The row of a group of refusals grows for 90 s at most (`refusal-log.ts`). The rest is for clocks that differ, and for the transaction. */
const countedForMs = 120_000;
/**
 * A row of Postgres gets its number before its transaction ends, so a lower number may appear after a higher one. No transaction of a
 * service lives longer than its statements' 4 s (`postgres-session.ts`). The rest is for clocks that differ.
 */
export const invisibleForMs = 30_000;
/** More groups than the processes of a large installation leave open under a constant attack. Beyond that, reading waits for some to end. */
const mostWaiting = 2_000;

/** Who reads the audit in the background. */
type AuditReader = 'forwarding' | 'webhooks';

/** How far a reader has come. */
export interface ReadingPlace {
  /** Every row up to this number was read, or waits. */
  passed: number;
  /** Numbers up to there whose rows may still change or appear, and when they were passed, in milliseconds since 1970. */
  waiting: readonly (readonly [number: number, sinceMs: number])[];
}

interface FinalRows {
  rows: AuditRow[];
  /** The place after them: the same object where nothing is new. */
  next: ReadingPlace;
  /** Whether further rows are there to be read at once. */
  isMore: boolean;
}

/**
 * Reads rows of the audit after a place that nobody changes any more, each once. A row that is not final yet lets later ones pass: the number
 * of leases of a revocation may take minutes.
 *
 * @param now milliseconds since 1970
 * @param wants other rows are passed over
 */
export async function readFinalRows(
  db: Database | Transaction,
  place: ReadingPlace,
  { now, limit, wants = () => true }: { now: number; limit: number; wants?: (row: AuditRow) => boolean },
): Promise<FinalRows> {
  const awaited = await readRows(
    db,
    place.waiting.map(([number]) => number),
  );
  const fresh = await select(db).where('number', '>', place.passed).limit(limit).execute();
  const isFinal = (row: Row) => !row.waits && (row.count === null || row.at < now - countedForMs);
  const rows: AuditRow[] = [];
  const waiting: [number, number][] = [];
  for (const [number, sinceMs] of place.waiting) {
    const row = awaited.get(number);
    if (row && isFinal(row)) rows.push(row);
    // Otherwise its transaction was undone.
    else if (row || sinceMs > now - invisibleForMs) waiting.push([number, sinceMs]);
  }
  let { passed } = place;
  for (const row of fresh) {
    // SQLite has one writer at a time.
    const mayAppear = isPostgres(db) && row.at > now - invisibleForMs ? row.number - passed - 1 : 0;
    if (waiting.length + mayAppear >= mostWaiting) break;
    for (let n = 1; n <= mayAppear; n++) waiting.push([passed + n, now]);
    if (!isFinal(row) && wants(row)) waiting.push([row.number, now]);
    else rows.push(row);
    passed = row.number;
  }
  const isMore = fresh.length === limit && passed === fresh.at(-1)?.number;
  const isSame = passed === place.passed && waiting.length === place.waiting.length;
  return { rows: rows.filter(wants), next: isSame ? place : { passed, waiting }, isMore };
}

type Row = AuditRow & { waits: number | boolean };

/** With whether the number of leases of an act is still to come, in the statement that reads the row: both are of one instant. */
function select(db: Database | Transaction) {
  return db
    .selectFrom('audit')
    .selectAll('audit')
    .select(
      sql<
        number | boolean
      >`exists (select 1 from revocations where finished_at is null and audit_number = audit.number)`.as(
        'waits',
      ),
    )
    .orderBy('number');
}

/** Rows by their numbers. One that was removed is not there. */
export async function readRows(
  db: Database | Transaction,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Row>> {
  if (numbers.length === 0) return new Map();
  const wanted = rowList(
    db,
    { number: 'bigint' },
    numbers.map((number) => ({ number })),
  );
  const rows = await select(db)
    .where('number', 'in', sql<number>`(select number from ${wanted} as given)`)
    .execute();
  return new Map(rows.map((row) => [row.number, row]));
}

export async function readPlace(db: Database | Transaction, reader: AuditReader): Promise<ReadingPlace> {
  const { passed, waiting } = await db
    .selectFrom('audit_readers')
    .select(['passed', 'waiting'])
    .where('name', '=', reader)
    .executeTakeFirstOrThrow();
  return { passed, waiting: JSON.parse(waiting) };
}

export async function storePlace(
  db: Database | Transaction,
  reader: AuditReader,
  { passed, waiting }: ReadingPlace,
): Promise<void> {
  await db
    .updateTable('audit_readers')
    .set({ passed, waiting: JSON.stringify(waiting) })
    .where('name', '=', reader)
    .execute();
}
