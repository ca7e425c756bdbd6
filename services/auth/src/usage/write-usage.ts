import type { Clock } from '@latchkey/shared/clock';
import type { UsageCount, UsageReport } from '@latchkey/shared/contracts';
import { inUnsyncedTransaction, rowList } from '@latchkey/shared/db';
import type { RecordUsage } from '@latchkey/shared/internal';
import { sql } from 'kysely';
import type { Database, Transaction } from '../own-tables.ts';
import { keptMs, type Span, spanMs, spans, type UsageRetention } from './spans.ts';

interface WriterOptions {
  db: Database;
  clock: Clock;
  retention: UsageRetention;
}

const columns = {
  span: 'bigint',
  requests: 'text',
  kind: 'text',
  at: 'bigint',
  series: 'text',
  served: 'bigint',
  refused: 'bigint',
} as const;
const names = Object.keys(columns) as (keyof typeof columns)[];

export type UsageRow = { [K in keyof typeof columns]: (typeof columns)[K] extends 'text' ? string : number };

/** Rows of one transaction. Some 10 µs each on SQLite, which answers no request meanwhile. */
const rowsAtATime = 200;

/**
 * Adds reports to the counts of each length, a part at a time, in the transaction that notes the part: one that is sent again after a
 * lost answer counts once. The commits do not wait for the disk, so a power cut may lose the last reports.
 */
export function createUsageWriter({ db, clock, retention }: WriterOptions): RecordUsage {
  return async (report) => {
    if (retention.days === 0 || report.counts.length === 0) return;
    const now = clock.now();
    const dated = { ...report, at: Math.min(report.at, now) };
    const written = spans.filter((span) => dated.at >= now - keptMs(span, retention));
    for (const span of written) {
      const rows = toRows(dated, span);
      for (let from = 0; from < rows.length; from += rowsAtATime)
        await inUnsyncedTransaction(db, async (tx) => {
          if (!(await isNew(tx, `${report.id}-${span}-${from}`, now))) return;
          await addCounts(tx, rows.slice(from, from + rowsAtATime));
        });
    }
  };
}

async function isNew(tx: Transaction, id: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('usage_reports')
    .values({ id, written_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/** In the order of the primary key: two processes that write the same rows then do not deadlock. */
function toRows({ at, counts }: UsageReport, span: Span): UsageRow[] {
  const keyOf = ({ requests, kind, series }: UsageCount) => [requests, kind, series].join('\n');
  return counts
    .map((count) => ({ key: keyOf(count), row: { span, at: at - (at % spanMs(span)), ...count } }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row);
}

/** Adds to the rows that exist, and inserts the others. No key may be among them twice. */
export async function addCounts(tx: Database | Transaction, rows: readonly UsageRow[]): Promise<void> {
  const given = rowList(tx, columns, rows).as('given');
  await tx
    .insertInto('usage_counts')
    .columns(names)
    // SQLite takes the conflict for a part of the join without a condition (sqlite.org/lang_upsert.html, section 2.2).
    .expression(tx.selectFrom(given).select(names).where(sql.lit(true)))
    .onConflict((conflict) =>
      conflict.columns(['span', 'requests', 'kind', 'at', 'series']).doUpdateSet((eb) => ({
        served: eb('usage_counts.served', '+', eb.ref('excluded.served')),
        refused: eb('usage_counts.refused', '+', eb.ref('excluded.refused')),
      })),
    )
    .execute();
}
