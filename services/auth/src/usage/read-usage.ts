import { type UsageKind, type UsageRequests, usageRequests } from '@latchkey/shared/contracts';
import { type NamedBy, readAside } from '@latchkey/shared/db';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../own-tables.ts';
import type { Resolution } from './spans.ts';

export const usageSorts = ['requests', 'refused'] as const;
type UsageSort = (typeof usageSorts)[number];

/** A question about usage, with both ends on a step. */
export interface UsageQuestion extends Resolution {
  requests: UsageRequests | 'all';
  by: UsageKind;
  /** Milliseconds since 1970; `to` is left out of the range. */
  from: number;
  to: number;
  /** The contents that exist for a limited API key: nothing else is counted, and `by` is `content`. */
  within?: NamedBy | undefined;
  /** One series alone; null for the first series by `sort`. */
  id: string | null;
  /** Whether the series with the most requests are first, or the series with the most refusals. */
  sort: UsageSort;
  limit: number;
}

interface Counts {
  served: number;
  refused: number;
}

interface UsagePoint extends Counts {
  /** Milliseconds since 1970. */
  at: number;
}

/** Its points in order of time. Those without a request are left out. */
export interface UsageSeries extends Counts {
  points: UsagePoint[];
}

export interface Usage {
  series: (UsageSeries & { id: string })[];
  /** All that is not among the series. */
  other: UsageSeries;
  /** Each request once. */
  totals: UsageSeries;
}

/** Reads the counts of a range: at most 720 intervals, each with some 50 rows of a kind. */
export async function readUsage(db: Database, question: UsageQuestion): Promise<Usage> {
  const [ids, totals] = await Promise.all([findSeries(db, question), readTotals(db, question)]);
  const points = await readPoints(db, question, ids);
  const bySeries = Map.groupBy(points, ({ series }) => series);
  return {
    series: ids.map((id) => ({ id, ...toSeries(bySeries.get(id) ?? []) })),
    other: toSeries(bySeries.get('') ?? []),
    totals,
  };
}

/** The first series of the range. By refusals, only series that have any. */
async function findSeries(db: Database, question: UsageQuestion): Promise<string[]> {
  if (question.id !== null) return [question.id];
  const rows = await readAside(
    db,
    rowsOf(db, question, question.by)
      .where('series', '<>', '')
      .select('series')
      .groupBy('series')
      .$if(question.sort === 'refused', (query) => query.having(sql<boolean>`sum(refused) > 0`))
      .orderBy(question.sort === 'refused' ? sql`sum(refused)` : sql`sum(served + refused)`, 'desc')
      .orderBy('series')
      .limit(question.limit),
  );
  return rows.map(({ series }) => series);
}

async function readTotals(db: Database, question: UsageQuestion): Promise<UsageSeries> {
  const at = stepOf(question);
  const query = rowsOf(db, question, question.within ? 'content' : 'total')
    .select([at.as('at'), ...sums])
    .groupBy(at)
    .orderBy(at);
  return toSeries(await readAside(db, query));
}

/** All that is not among the ids is one series, `''`. */
async function readPoints(
  db: Database,
  question: UsageQuestion,
  ids: readonly string[],
): Promise<(UsagePoint & { series: string })[]> {
  const at = stepOf(question);
  const series =
    ids.length === 0
      ? sql<string>`''`
      : sql<string>`case when series in (${sql.join(ids)}) then series else '' end`;
  const query = rowsOf(db, question, question.by)
    .select([at.as('at'), series.as('shown'), ...sums])
    .groupBy(['at', 'shown'] as never)
    .orderBy('at');
  const rows = await readAside(db, query as never);
  return (rows as (UsagePoint & { shown: string })[]).map(({ shown, ...point }) => ({
    ...point,
    series: shown,
  }));
}

function rowsOf(db: Database, { span, requests, from, to, within }: UsageQuestion, kind: string) {
  return db
    .selectFrom('usage_counts')
    .where('span', '=', span)
    .where('requests', 'in', requests === 'all' ? usageRequests : [requests])
    .where('kind', '=', kind)
    .where('at', '>=', from)
    .where('at', '<', to)
    .$if(within !== undefined, (query) => query.where((within as NamedBy)(sql.ref('usage_counts.series'))));
}

/** As a literal: SQLite would divide by a bound number as by a real one. */
const stepOf = ({ stepMs }: UsageQuestion): RawBuilder<number> =>
  sql<number>`cast(at / ${sql.lit(stepMs)} as bigint) * ${sql.lit(stepMs)}`;

/** Sums of 64-bit integers are decimal texts in Postgres. */
const sums = [
  sql<number>`cast(sum(served) as bigint)`.as('served'),
  sql<number>`cast(sum(refused) as bigint)`.as('refused'),
] as const;

function toSeries(points: readonly UsagePoint[]): UsageSeries {
  return {
    served: points.reduce((sum, point) => sum + point.served, 0),
    refused: points.reduce((sum, point) => sum + point.refused, 0),
    points: points.map(({ at, served, refused }) => ({ at, served, refused })),
  };
}
