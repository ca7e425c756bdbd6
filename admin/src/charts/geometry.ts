import type { SVGAttributes } from 'react';

/** Maps values to positions on an axis. */
export interface Scale {
  /** 0 at the lower end, 1 at the upper end. Values outside are clamped. */
  at: (value: number) => number;
  /** Labelled values, ascending. */
  ticks: readonly number[];
}

const within = (share: number) => Math.min(1, Math.max(0, share));

/**
 * From 0 to a round number above the highest value, with two to five ticks.
 *
 * @param values all values that must fit
 * @param smallestStep such as 1 for counts
 */
export function linearScale(values: readonly number[], smallestStep = 0): Scale {
  const highest = Math.max(...values, 0) || 1;
  const step = Math.max(roundUp(highest / 4), smallestStep);
  const steps = Math.max(1, Math.ceil(highest / step - 1e-9));
  const top = steps * step;
  return {
    at: (value) => within(value / top),
    ticks: Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12))),
  };
}

/**
 * From one power of ten to another, with a tick for each: for values that differ by factors of 1,000.
 *
 * @param values all values that must fit. Values up to 0 are placed at the lower end
 */
export function logScale(values: readonly number[]): Scale {
  const powers = values.filter((value) => value > 0).map(Math.log10);
  const low = Math.floor(Math.min(...powers, 0));
  const high = Math.ceil(Math.max(...powers, low + 1));
  return {
    at: (value) => (value > 0 ? within((Math.log10(value) - low) / (high - low)) : 0),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => Number((10 ** (low + index)).toPrecision(1))),
  };
}

/** The next of 1, 2, 5, 10, 20, … */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** A value at a time; null without a measurement. */
export interface Point {
  /** Milliseconds since 1970. */
  at: number;
  value: number | null;
}

/** The drawing area, in units of its view box. */
interface Area {
  width: number;
  height: number;
  /** Left and right end of the time axis, in milliseconds since 1970. */
  from: number;
  to: number;
}

export interface Trace {
  /** Data of an SVG path. */
  line: string;
  /** Path data of zero-length lines, which a round cap turns into dots: for runs too short to look like a line. */
  dots: string;
  /** Path data of the area below the line. */
  fill: string;
}

/**
 * Draws a line through points.
 *
 * @param share 0 at the lower end of the axis, 1 at the upper end
 * @param longestGapMs the line breaks at missing values and at longer gaps
 */
export function trace(
  points: readonly Point[],
  { width, height, from, to }: Area,
  share: (value: number) => number,
  longestGapMs: number,
): Trace {
  const place = (at: number, value: number): [x: number, y: number] => [
    round(((at - from) / (to - from)) * width),
    round((1 - share(value)) * height),
  ];
  const runs: [number, number][][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { at, value } of points) {
    if (value === null || at < from || at > to) continue;
    if (at - last > longestGapMs) runs.push([]);
    runs.at(-1)?.push(place(at, value));
    last = at;
  }
  const through = (run: readonly [number, number][]) => run.map((each) => each.join(' ')).join('L');
  return {
    line: runs
      .filter((run) => run.length > 1)
      .map((run) => `M${through(run)}`)
      .join(''),
    dots: runs
      .filter((run) => extentOf(run) < shortestLine * width)
      .map((run) => `M${run.at(-1)?.join(' ')}h0`)
      .join(''),
    fill: runs
      .map((run) => `M${run[0]?.[0]} ${height}L${through(run)}L${run.at(-1)?.[0]} ${height}Z`)
      .join(''),
  };
}

/** The point nearest to a time, or null if the distance is above the gap. */
export function nearest(points: readonly Point[], at: number, longestGapMs: number): Point | null {
  const distance = (point: Point) => Math.abs(point.at - at);
  const found = points.reduce<Point | null>(
    (best, point) => (best === null || distance(point) < distance(best) ? point : best),
    null,
  );
  return found && distance(found) <= longestGapMs ? found : null;
}

/** The time of the latest value of any line; null without a value. */
export function latestAt(lines: readonly ChartLine[]): number | null {
  const times = lines.flatMap(({ points }) => points.findLast(({ value }) => value !== null)?.at ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/** Share of the width: below about 4 pixels a line looks like a stray dash. */
const shortestLine = 0.008;

const extentOf = (run: readonly [number, number][]) => (run.at(-1)?.[0] ?? 0) - (run[0]?.[0] ?? 0);

const round = (value: number) => Math.round(value * 10) / 10;

/** How a line is drawn: its colour, its thickness in pixels, and its dashes in pixels. */
type Stroke = Pick<SVGAttributes<SVGPathElement>, 'stroke' | 'strokeWidth' | 'strokeDasharray'>;

const series = (colour: string, strokeDasharray: string): Stroke => ({
  stroke: `var(--${colour})`,
  strokeWidth: 1.75,
  strokeDasharray,
});

/** Told apart without colour: `main` is thick, `quiet` is thin, and each of the others has its own dashes. */
export const looks = {
  main: { stroke: 'var(--accent-text)', strokeWidth: 2 },
  quiet: { stroke: 'var(--quiet)', strokeWidth: 1.25 },
  dashed: { stroke: 'var(--accent-text)', strokeWidth: 1.5, strokeDasharray: '4 4' },
  'series-1': { stroke: 'var(--accent-text)', strokeWidth: 2 },
  'series-2': series('bad', '6 4'),
  'series-3': series('good', '2 4'),
  'series-4': series('warn', '9 4 2 4'),
  'series-5': series('violet', '12 5'),
  'series-6': series('pink', '3 3 9 3'),
  'series-7': series('olive', '2 6'),
  'series-8': series('indigo', '9 3 2 3 2 3'),
} as const satisfies Record<string, Stroke>;
type Look = keyof typeof looks;

/** Of several lines of one kind, the first of them being the largest. */
export const seriesLooks = (Object.keys(looks) as Look[]).filter((look) => look.startsWith('series-'));

export interface ChartLine {
  name: string;
  /** Ordered by time. */
  points: readonly Point[];
  /** The area below a `main` line is filled. */
  look: Look;
}
