import { sql } from 'kysely';
import { type Database, isPostgres, readAside, type Transaction } from '../../db/index.ts';

/**
 * A row of Postgres gets its number before its transaction ends, so a lower number may become visible after a higher one. No
 * transaction of a service lives longer than its statements' 4 s (`postgres-session.ts`).
 */
const invisibleForMs = 30_000;
/** More groups than two processes can leave open. */
const sweptAtOnce = 1_000;

type Rows = Database | Transaction;

/** The number up to which every row is chained. */
export async function readSealedTo(db: Database): Promise<number> {
  const row = await db.selectFrom('audit_sealing').select('sealed_to').executeTakeFirst();
  return row?.sealed_to ?? 0;
}

export const isUnchained = sql<boolean>`not exists (select 1 from audit_entries where audit_entries.number = audit.number)`;

/** Rows that no chain has, from `sealed_to` on. */
export async function readOpenNumbers(db: Database, upTo: number | null): Promise<number[]> {
  const rows = await readAside(
    db,
    db
      .selectFrom('audit')
      .select('number')
      .where('number', '>', (eb) => eb.selectFrom('audit_sealing').select('sealed_to'))
      .$if(upTo !== null, (query) => query.where('number', '<=', upTo))
      .where(isUnchained)
      .orderBy('number')
      .limit(sweptAtOnce),
  );
  return rows.map(({ number }) => Number(number));
}

interface Swept {
  /** What no chain had before this step. */
  open: readonly number[];
  /** What this step has chained. */
  sealed: ReadonlySet<number>;
  /** The last row that was looked at; null for all. */
  upTo: number | null;
}

/** Stores the number up to which every row is chained, so that no sweep looks at older ones again. */
export async function noteSealed(
  { from, to, now }: { from: Rows; to: Rows; now: number },
  { open, sealed, upTo }: Swept,
): Promise<void> {
  const state = await from.selectFrom('audit_sealing').selectAll().executeTakeFirstOrThrow();
  // A row up to there may have become visible only after another process had noted it, and this one has not come to it.
  if (upTo !== null && upTo < state.next_to) return;
  const first = open.find((number) => !sealed.has(number));
  // Of the chained ones: a row that was written since `open` was read must not be skipped.
  const last =
    open.length < sweptAtOnce
      ? Math.min(await readLastChained(from), upTo ?? Number.POSITIVE_INFINITY)
      : (open.at(-1) ?? 0);
  const reached = first === undefined ? Math.max(last, state.next_to) : first - 1;
  // SQLite has one writer at a time, so no lower number follows.
  const isImmediate = !isPostgres(from);
  if (!isImmediate && now - state.next_at < invisibleForMs) return;
  const sealedTo = isImmediate ? reached : Math.min(state.next_to, reached);
  if (sealedTo === state.sealed_to && reached === state.next_to) return;
  await to
    .updateTable('audit_sealing')
    .set({ sealed_to: sealedTo, next_to: reached, next_at: now })
    .where('id', '=', 1)
    .execute();
}

async function readLastChained(from: Rows): Promise<number> {
  const row = await from
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.max<number | null>('number').as('last'))
    .executeTakeFirst();
  return Number(row?.last ?? 0);
}
