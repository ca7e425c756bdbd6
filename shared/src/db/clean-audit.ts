import { sql } from 'kysely';
import { redactId } from '../log/index.ts';
import type { Database } from './open.ts';
import { createTableCheck } from './table-check.ts';
import { inTransaction } from './transaction.ts';

/** Row numbers of one transaction: they are read in some 10 ms on either database, and other writers wait no longer than that. */
const numbersPerStep = 10_000;
/** Rows that one transaction changes: some 10 ms, also where every row has a key. */
const changesPerStep = 200;

/** Text as earlier releases wrote it, unredacted. */
const columns = ['actor_id', 'target', 'request_id'] as const;

/**
 * Hides the raw keys and tokens that earlier releases wrote into the audit in clear. It uses short transactions, each of
 * which stores how far it came. A process that is stopped continues at its next start; two processes at once repeat work
 * without harm. Does nothing once all rows are clean, or before migration 0005.
 *
 * Readers of the table no longer see them. Copies remain in backups, and in a file's free space until VACUUM: a key that
 * was sent in a path should be rotated.
 *
 * @returns how many rows were changed
 */
export async function cleanAudit(db: Database): Promise<number> {
  if (!(await createTableCheck('audit_cleaning').isThere(db))) return 0;
  let changed = 0;
  for (let work = await readWork(db); work; work = await readWork(db)) changed += await cleanStep(db, work);
  return changed;
}

interface Work {
  after: number;
  last: number;
}

/** Null where all rows are done. Skips purged rows. */
async function readWork(db: Database): Promise<Work | null> {
  const progress = await db.selectFrom('audit_cleaning').select(['done_to', 'last']).executeTakeFirst();
  if (!progress || progress.done_to >= progress.last) return null;
  const next = await db
    .selectFrom('audit')
    .select('number')
    .where('number', '>', progress.done_to)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  const after = Math.min(next ? next.number - 1 : progress.last, progress.last);
  return { after, last: progress.last };
}

async function cleanStep(db: Database, { after, last }: Work): Promise<number> {
  const end = Math.min(after + numbersPerStep, last);
  return inTransaction(db, async (tx) => {
    const rows = await tx
      .selectFrom('audit')
      .select(['number', ...columns])
      .where('number', '>', after)
      .where('number', '<=', end)
      // Most rows contain only ids. Only those that may contain a key, a token or encoded text are read.
      .where((eb) =>
        eb.or(
          columns.flatMap((column) => [
            sql<boolean>`lower(${eb.ref(column)}) like '%lk\\_%' escape '\\'`,
            eb(column, 'like', '%.%.%'),
            sql<boolean>`${eb.ref(column)} like '%\\%%' escape '\\'`,
          ]),
        ),
      )
      .orderBy('number')
      .limit(changesPerStep)
      .execute();
    const doneTo = rows.length < changesPerStep ? end : (rows.at(-1)?.number ?? end);
    let changed = 0;
    for (const { number, ...texts } of rows) {
      const clean = Object.fromEntries(
        columns.flatMap((column) => {
          const text = texts[column];
          return text === null || redactId(text) === text ? [] : [[column, redactId(text)]];
        }),
      );
      if (Object.keys(clean).length === 0) continue;
      await tx.updateTable('audit').set(clean).where('number', '=', number).execute();
      changed++;
    }
    await tx.updateTable('audit_cleaning').set({ done_to: doneTo }).where('done_to', '<', doneTo).execute();
    return changed;
  });
}
