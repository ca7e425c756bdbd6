import type { Clock } from '@latchkey/shared/clock';
import { usageKinds, usageRequests } from '@latchkey/shared/contracts';
import { createPurgeClock, getAsideWriter, inUnsyncedTransaction, runPaced } from '@latchkey/shared/db';
import { seriesKept } from '@latchkey/shared/statistics';
import type { Database, Transaction } from '../own-tables.ts';
import { purgedBefore, type Span, spanMs, spans, type UsageRetention } from './spans.ts';

/** A report is sent again for an hour at most. */
const reportsKeptMs = 86_400_000;

interface UsagePurgeOptions {
  db: Database;
  clock: Clock;
  retention: UsageRetention;
  /** Ends a run between two transactions. */
  signal: AbortSignal;
  /** Called after each step: what it removed, and how long it may have held its locks. */
  observe?: (table: 'usage_counts' | 'usage_reports', rows: number, heldMs: number) => void;
}

/** Removes counts that are past their retention, a few intervals at a time. @returns how many rows a run removed */
export function createUsagePurge(options: UsagePurgeOptions): { run(): Promise<number> } {
  const { db, clock, retention, signal } = options;
  const aside = getAsideWriter(db);
  const readPurgeTime = createPurgeClock({ db, clock });

  async function removeAll(
    name: 'usage_counts' | 'usage_reports',
    removeSome: (rows: Database | Transaction, limit: number) => Promise<number>,
  ): Promise<number> {
    let removed = 0;
    let last = 0;
    const step = async (limit: number) => {
      last = await (aside
        ? removeSome(aside, limit)
        : inUnsyncedTransaction(db, (tx) => removeSome(tx, limit)));
      removed += last;
      return last > 0;
    };
    const onStep = (heldMs: number) => options.observe?.(name, last, heldMs);
    await runPaced(db, { clock, signal, step, isAside: aside !== null, onStep });
    return removed;
  }

  return {
    async run() {
      const now = await readPurgeTime();
      let removed = 0;
      for (const span of spans)
        for (const requests of usageRequests)
          for (const kind of ['total', ...usageKinds]) {
            const due = { span, requests, kind, before: purgedBefore(span, retention, now) };
            if (!signal.aborted)
              removed += await removeAll('usage_counts', (rows, limit) => removeCounts(rows, due, limit));
          }
      await removeAll('usage_reports', (rows, limit) => removeReports(rows, now - reportsKeptMs, limit));
      return removed;
    },
  };
}

interface Due {
  span: Span;
  requests: string;
  kind: string;
  before: number;
}

/** The oldest intervals, whole ones: an interval has some 50 rows of a kind. */
async function removeCounts(
  db: Database | Transaction,
  { span, requests, kind, before }: Due,
  limit: number,
): Promise<number> {
  const intervals = Math.max(1, Math.floor(limit / seriesKept));
  const { numDeletedRows } = await db
    .deleteFrom('usage_counts')
    .where('span', '=', span)
    .where('requests', '=', requests)
    .where('kind', '=', kind)
    .where('at', '<', before)
    .where('at', '<', (eb) =>
      eb(
        eb
          .selectFrom('usage_counts as oldest')
          .select(({ fn }) => fn.min('oldest.at').as('at'))
          .where('oldest.span', '=', span)
          .where('oldest.requests', '=', requests)
          .where('oldest.kind', '=', kind),
        '+',
        intervals * spanMs(span),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function removeReports(db: Database | Transaction, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('usage_reports')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('usage_reports')
        .select('id')
        .where('written_at', '<', before)
        .orderBy('written_at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
