import type { Usage } from '../../api/schema.ts';
import { type ChartLine, type Point, seriesLooks } from '../../charts/geometry.ts';

/** The steps of an answer, in milliseconds since 1970. */
export interface Steps {
  from: number;
  to: number;
  stepMs: number;
  /** Steps that begin here or later are not over, or not all of their requests are reported. */
  until: number;
}

export function stepsOf({ from, to, stepSeconds, completeUntil }: Usage): Steps {
  const [start, end, stepMs] = [Date.parse(from), Date.parse(to), stepSeconds * 1_000];
  const complete = Math.max(start, Date.parse(completeUntil));
  return { from: start, to: end, stepMs, until: start + Math.floor((complete - start) / stepMs) * stepMs };
}

type Value = (counts: { served: number; refused: number }) => number;

export const allOf: Value = ({ served, refused }) => served + refused;
export const servedOf: Value = ({ served }) => served;
export const refusedOf: Value = ({ refused }) => refused;

/** A point for each step that is over. A step that the server left out had no request. */
export function toPoints(
  { points }: Pick<Usage['totals'], 'points'>,
  steps: Steps,
  amountOf: Value,
): Point[] {
  const values = new Map(points.map((point) => [Date.parse(point.at), amountOf(point)]));
  const drawn: Point[] = [];
  for (let at = steps.from; at < steps.until; at += steps.stepMs)
    drawn.push({ at, value: values.get(at) ?? 0 });
  return drawn;
}

/** The busiest series and what is left, as lines. */
export function toLines(
  { series, other }: Pick<Usage, 'series' | 'other'>,
  steps: Steps,
  amountOf: Value,
  nameOf: (id: string) => string,
): ChartLine[] {
  const lines = series
    .filter((each) => amountOf(each) > 0)
    .map((each, index) => ({
      name: nameOf(each.id),
      points: toPoints(each, steps, amountOf),
      look: seriesLooks[index % seriesLooks.length] ?? ('quiet' as const),
    }));
  if (amountOf(other) === 0) return lines;
  return [...lines, { name: 'All others', points: toPoints(other, steps, amountOf), look: 'quiet' as const }];
}

/** Such as "each minute" or "every 10 minutes". */
export function describeStep(stepMs: number): string {
  const minutes = stepMs / 60_000;
  if (minutes === 1) return 'each minute';
  if (minutes < 60) return `every ${minutes} minutes`;
  return minutes === 60 ? 'each hour' : `every ${minutes / 60} hours`;
}
