import type { Usage } from '../../api/schema.ts';
import { type ChartLine, type Point, seriesLooks } from '../../charts/geometry.ts';

/**
 * The steps of an answer, in milliseconds since 1970. Steps that begin at `until` or later are not over, or not all of their
 * requests are reported.
 */
export function stepsOf({ from, to, stepSeconds, completeUntil }: Usage) {
  const [start, end, stepMs] = [Date.parse(from), Date.parse(to), stepSeconds * 1_000];
  const complete = Math.max(start, Date.parse(completeUntil));
  return { from: start, to: end, stepMs, until: start + Math.floor((complete - start) / stepMs) * stepMs };
}

type Counts = Record<'served' | 'refused', number>;
/** @param all every request of the same step. @returns null without a request of which there could be a share */
type Value = (counts: Counts, all: Counts) => number | null;

const nothing: Counts = { served: 0, refused: 0 };
export const allOf = ({ served, refused }: Counts): number => served + refused;
export const servedOf: Value = ({ served }) => served;
export const refusedOf: Value = ({ refused }) => refused;
/** 0 to 1, of the requests of the same series. */
export const shareOf: Value = (counts) => shareOfAll(counts, counts);
/** 0 to 1, of all requests: a code has no served ones. */
export const shareOfAll: Value = ({ refused }, all) => (allOf(all) === 0 ? null : refused / allOf(all));

type Series = Pick<Usage['totals'], 'points'>;

const byTime = ({ points }: Series) =>
  new Map<number, Counts>(points.map((point) => [Date.parse(point.at), point]));

/** A point for each step that is over. A step that the server left out had no request. */
export function toPoints(series: Series, usage: Usage, amountOf: Value): Point[] {
  const { from, until, stepMs } = stepsOf(usage);
  const [counts, all] = [byTime(series), byTime(usage.totals)];
  const drawn: Point[] = [];
  for (let at = from; at < until; at += stepMs)
    drawn.push({ at, value: amountOf(counts.get(at) ?? nothing, all.get(at) ?? nothing) });
  return drawn;
}

/** The busiest series and what is left, as lines. Without such a request, a series has none. */
export function toLines(usage: Usage, amountOf: Value, nameOf: (id: string) => string): ChartLine[] {
  const { series, other, totals } = usage;
  const isDrawn = (each: Counts) => (amountOf(each, totals) ?? 0) > 0;
  const lines = series.filter(isDrawn).map((each, index) => ({
    name: nameOf(each.id),
    points: toPoints(each, usage, amountOf),
    look: seriesLooks[index] ?? ('quiet' as const),
  }));
  if (!isDrawn(other)) return lines;
  return [...lines, { name: 'All others', points: toPoints(other, usage, amountOf), look: 'quiet' }];
}

/** Such as "each minute" or "every 10 minutes". */
export function describeStep(stepMs: number): string {
  const minutes = stepMs / 60_000;
  if (minutes === 1) return 'each minute';
  if (minutes < 60) return `every ${minutes} minutes`;
  return minutes === 60 ? 'each hour' : `every ${minutes / 60} hours`;
}
