/** A value at a time; null where nothing was measured. */
export interface Point {
  /** Milliseconds since 1970. */
  at: number;
  value: number | null;
}

/** The area that is drawn on, in the units of its view box. */
interface Area {
  width: number;
  height: number;
  /** Milliseconds since 1970: at the left and at the right. */
  from: number;
  to: number;
}

interface Trace {
  /** Of an SVG path. */
  line: string;
  /** Of a path of lines without length, which a round cap makes dots: points that are too few to be seen as a line. */
  dots: string;
  /** Of the area below the line. */
  fill: string;
}

/**
 * Draws a line through points.
 *
 * @param share 0 at the lower end of the axis, 1 at the upper
 * @param longestGapMs the line breaks where there is no value, and where points are further apart than this
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
  return {
    line: runs
      .filter((run) => run.length > 1)
      .map((run) => `M${run.map((each) => each.join(' ')).join('L')}`)
      .join(''),
    dots: runs
      .filter((run) => extentOf(run) < shortestLine * width)
      .map((run) => `M${run.at(-1)?.join(' ')}h0`)
      .join(''),
    fill: runs
      .map(
        (run) =>
          `M${run[0]?.[0]} ${height}L${run.map((each) => each.join(' ')).join('L')}L${run.at(-1)?.[0]} ${height}Z`,
      )
      .join(''),
  };
}

/** The point nearest to a time, if one is nearer than the gap; points are in the order of time. */
export function nearest(points: readonly Point[], at: number, longestGapMs: number): Point | null {
  const distance = (point: Point) => Math.abs(point.at - at);
  const found = points.reduce<Point | null>(
    (best, point) => (best === null || distance(point) < distance(best) ? point : best),
    null,
  );
  return found && distance(found) <= longestGapMs ? found : null;
}

/** Of the width: less than some 4 pixels look like a stray dash. */
const shortestLine = 0.008;

const extentOf = (run: readonly [number, number][]) => (run.at(-1)?.[0] ?? 0) - (run[0]?.[0] ?? 0);

const round = (value: number) => Math.round(value * 10) / 10;
