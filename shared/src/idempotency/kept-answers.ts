import { sql } from 'kysely';
import { type Database, rowList, type Transaction, tryLockSubjects } from '../db/index.ts';
import type { KeyedRequest } from './idempotency-key.ts';

/** `docs/reference/contract.md#repeated-requests`: clients give up within minutes, and operators repeat a script the next morning. */
export const answersKeptMs = 86_400_000;

/** Each service has its own table. */
export type IdempotencyTable = 'auth_idempotency_keys' | 'lease_idempotency_keys';

/** An answer that is kept for the repeats of its request. */
interface KeptAnswer extends KeyedRequest {
  status: number;
  /** JSON. */
  answer: string;
}

/** Both tables have the same columns, so one table's types serve the queries of both. */
const typed = (table: IdempotencyTable) => table as 'auth_idempotency_keys';

/** The answers that are kept for these ids, by id. @param now milliseconds since 1970 */
export async function findAnswers(
  db: Database | Transaction,
  table: IdempotencyTable,
  ids: readonly string[],
  now: number,
): Promise<Map<string, KeptAnswer>> {
  const given = rowList(
    db,
    { asked: 'text' } as const,
    ids.map((asked) => ({ asked })),
  ).as('given');
  const rows = await db
    .selectFrom(typed(table))
    .select(['id', 'body_hash as bodyHash', 'status', 'answer'])
    .where('id', 'in', db.selectFrom(given).select('asked'))
    // An older row waits for the purge, and counts no more.
    .where('answered_at', '>', now - answersKeptMs)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Claims ids for the acts of this transaction. It waits for no other transaction, because a transaction may be shared by the acts of
 * many callers. The claim ends with the transaction, so a process that is killed leaves none.
 *
 * @returns whether each is free: no other transaction has it, and no answer is kept
 */
export async function claimIds(
  tx: Transaction,
  table: IdempotencyTable,
  ids: readonly string[],
  now: number,
): Promise<boolean[]> {
  if (ids.length === 0) return [];
  const locked = await tryLockSubjects(
    tx,
    ids.map((id) => ({ subject: `idempotency ${id}`, mode: 'exclusive' }) as const),
  );
  // After the locks: a transaction that had one has committed its answer by now.
  const kept = await findAnswers(tx, table, ids, now);
  return ids.map((id, n) => locked[n] === true && !kept.has(id));
}

/** Keeps answers, in the transaction of their acts, which has claimed the ids. */
export async function keepAnswers(
  tx: Transaction,
  table: IdempotencyTable,
  answers: readonly KeptAnswer[],
  now: number,
): Promise<void> {
  if (answers.length === 0) return;
  const types = {
    id: 'text',
    body_hash: 'text',
    answered_at: 'bigint',
    status: 'bigint',
    answer: 'text',
  } as const;
  const names = Object.keys(types) as (keyof typeof types)[];
  const rows = answers.map(({ id, bodyHash, status, answer }) => ({
    ...{ id, body_hash: bodyHash, answered_at: now, status, answer },
  }));
  await tx
    .insertInto(typed(table))
    .columns(names)
    .expression(
      tx
        .selectFrom(rowList(tx, types, rows).as('given'))
        .select(names)
        // SQLite could take the conflict for the condition of a join (sqlite.org/lang_upsert.html, section 2.2).
        .where(sql<boolean>`true`),
    )
    // A row that waits for the purge.
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        body_hash: eb.ref('excluded.body_hash'),
        answered_at: eb.ref('excluded.answered_at'),
        status: eb.ref('excluded.status'),
        answer: eb.ref('excluded.answer'),
      })),
    )
    .execute();
}

/** Removes answers from before the time, oldest first, at most `limit`. @returns how many */
export async function removeAnswers(
  db: Database | Transaction,
  table: IdempotencyTable,
  before: number,
  limit: number,
): Promise<number> {
  const old = db
    .selectFrom(typed(table))
    .select('id')
    .where('answered_at', '<=', before)
    .orderBy('answered_at')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom(typed(table)).where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}
