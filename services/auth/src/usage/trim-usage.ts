import type { Clock } from '@latchkey/shared/clock';
import { usageKinds, usageRequests } from '@latchkey/shared/contracts';
import { inUnsyncedTransaction, readAside, rowList, runPaced } from '@latchkey/shared/db';
import { seriesKept } from '@latchkey/shared/statistics';
import { sql } from 'kysely';
import type { Database, Transaction } from '../own-tables.ts';
import { type Span, spanMs, spans } from './spans.ts';
import { addCounts } from './write-usage.ts';

/** Later than reports usually come. One that comes later still adds a few rows, which stay. */
const settledMs = 3 * 60_000;
/** How many intervals before the start of the process are looked at: another process, or an earlier start of this one, may not have come to them. */
const intervalsBefore = 3;

interface TrimOptions {
  db: Database;
  clock: Clock;
  /** Ends a run between two transactions. */
  signal: AbortSignal;
}

interface Interval {
  span: Span;
  requests: string;
  kind: string;
  at: number;
}

/**
 * Keeps the busiest series of each interval that is over, and adds the others up in one row. Each process and each minute has
 * other busy series, so an hour of many viewers has thousands of rows until then, and a month of such hours would be slow to read.
 */
export function createUsageTrim({ db, clock, signal }: TrimOptions): { run(): Promise<void> } {
  /** The first interval of each length that was not looked at. */
  const next = new Map<Span, number>(
    spans.map((span) => [span, floor(clock.now() - settledMs, span) - intervalsBefore * spanMs(span)]),
  );

  async function trimSpan(span: Span): Promise<void> {
    const end = floor(clock.now() - settledMs, span);
    for (let at = next.get(span) ?? end; at < end && !signal.aborted; at += spanMs(span)) {
      for (const requests of usageRequests)
        for (const kind of usageKinds) await trim({ span, requests, kind, at });
      next.set(span, at + spanMs(span));
    }
  }

  async function trim(interval: Interval): Promise<void> {
    const ranked = await readAside(db, rankedSeries(db, interval));
    const rare = ranked.slice(seriesKept).map(({ series }) => series);
    let folded = 0;
    const step = async (limit: number) => {
      const part = rare.slice(folded, folded + limit);
      folded += part.length;
      if (part.length > 0) await inUnsyncedTransaction(db, (tx) => fold(tx, interval, part));
      return folded < rare.length;
    };
    if (rare.length > 0) await runPaced(db, { clock, signal, step });
  }

  return {
    async run() {
      for (const span of spans) await trimSpan(span);
    },
  };
}

const floor = (at: number, span: Span) => at - (at % spanMs(span));

/** Its series, the busiest first: some 3,000 for each process that counted an hour of many viewers. */
function rankedSeries(db: Database, { span, requests, kind, at }: Interval) {
  return db
    .selectFrom('usage_counts')
    .select('series')
    .where('span', '=', span)
    .where('requests', '=', requests)
    .where('kind', '=', kind)
    .where('at', '=', at)
    .where('series', '<>', '')
    .orderBy(sql`served + refused`, 'desc')
    .orderBy('series');
}

/** Moves series of an interval into the row of all others. */
async function fold(tx: Transaction, interval: Interval, names: readonly string[]): Promise<void> {
  const { span, requests, kind, at } = interval;
  const given = rowList(
    tx,
    { asked: 'text' } as const,
    names.map((asked) => ({ asked })),
  ).as('given');
  const removed = await tx
    .deleteFrom('usage_counts')
    .where('span', '=', span)
    .where('requests', '=', requests)
    .where('kind', '=', kind)
    .where('at', '=', at)
    .where('series', 'in', tx.selectFrom(given).select('asked'))
    .returning(['served', 'refused'])
    .execute();
  const served = removed.reduce((sum, row) => sum + row.served, 0);
  const refused = removed.reduce((sum, row) => sum + row.refused, 0);
  await addCounts(tx, [{ ...interval, series: '', served, refused }]);
}
