import { type HTMLAttributes, useId, useMemo, useState } from 'react';
import { formatClock } from '../components/format-time.ts';
import {
  type ChartLine,
  latestAt,
  linearScale,
  logScale,
  nearest,
  type Scale,
  type Trace,
  trace,
} from './geometry.ts';
import { SeriesTable } from './series-table.tsx';
import styles from './time-chart.module.css';
import { type SharedCursor, useChartPointer } from './use-chart-pointer.ts';

/** An upper limit. */
interface ChartMark {
  name: string;
  value: number;
  look: 'target' | 'alert';
}

export interface TimeChartProps {
  title: string;
  lines: readonly ChartLine[];
  marks?: readonly ChartMark[];
  /** Left and right end of the time axis, in milliseconds since 1970. */
  from: number;
  to: number;
  stepMs: number;
  axis?: 'linear' | 'logarithmic';
  /** Smallest distance between two ticks: 1 for counts. */
  smallestStep?: number;
  format: (value: number) => string;
  /** Shown without any value. */
  empty: string;
  /** Shared by the charts of a page, and also moved by the arrow keys. Left out: the chart has its own, for the pointer alone. */
  cursor?: SharedCursor;
  /** Takes a range that was dragged over. */
  onZoom?: (from: number, to: number) => void;
  /** How times are shown. Left out: the time of day. */
  formatTime?: (at: number) => string;
}

/** Units of the drawing. It is stretched to its place without its strokes, so nothing is measured and nothing moves. */
const size = { width: 1_000, height: 160 };
/** Space above a limit for its name, as a factor. */
const headroom = 1.15;
/** The line bridges one missing step: samples come a little early or late. */
const stepsBridged = 2.5;

/** Lines over time. A description in words and a table have the same content for screen readers. */
export function TimeChart(props: TimeChartProps) {
  const { title, lines, marks = [], from, to, stepMs, format, empty } = props;
  const titleId = useId();
  const [ownAt, moveOwn] = useState<number | null>(null);
  const cursor = props.cursor ?? { at: ownAt, move: moveOwn };
  const pointedAt = cursor.at;
  // Usage is complete only minutes after its time, so there is no value at the end of its axis.
  const restsAt = (props.cursor && latestAt(lines)) ?? to;
  const { selected, pointer, keys } = useChartPointer({ from, to, stepMs, restsAt }, cursor, props.onZoom);
  const gapMs = stepMs * stepsBridged;
  const scale = useScale(props);
  const drawn = useMemo(
    () =>
      lines.map(({ points, ...line }) => ({
        ...line,
        ...trace(points, { ...size, from, to }, scale.at, gapMs),
      })),
    [lines, from, to, scale, gapMs],
  );
  const isEmpty = drawn.every(({ line, dots }) => line === '' && dots === '');
  const timeOf = props.formatTime ?? ((at: number) => formatClock(at, true));
  const placeOf = (at: number) => `${((at - from) / (to - from)) * 100}%`;
  return (
    <figure className={styles.chart} aria-labelledby={titleId}>
      <figcaption className={styles.head}>
        <h3 id={titleId}>{title}</h3>
        <span className={styles.at} aria-hidden="true">
          {pointedAt === null ? (props.cursor ? 'latest' : 'now') : timeOf(pointedAt)}
        </span>
      </figcaption>
      <Legend lines={lines} at={pointedAt ?? restsAt} gapMs={gapMs} format={format} />
      <div className={styles.frame}>
        <div
          className={styles.drawing}
          role="img"
          aria-label={isEmpty ? empty : describe(props)}
          {...(props.cursor ? {} : pointer)}
        >
          <Plot drawn={drawn} marks={marks} scale={scale} format={format} />
          {selected && (
            <span
              className={styles.selected}
              style={{ left: placeOf(selected[0]), right: `calc(100% - ${placeOf(selected[1])})` }}
            />
          )}
          {pointedAt !== null && pointedAt >= from && pointedAt <= to && (
            <span className={styles.cursor} style={{ left: placeOf(pointedAt) }} />
          )}
          {isEmpty && <p className={styles.empty}>{empty}</p>}
        </div>
        {props.cursor && (
          <CursorSlider chart={props} at={pointedAt ?? restsAt} timeOf={timeOf} {...pointer} {...keys} />
        )}
      </div>
      <p className={styles.times} aria-hidden="true">
        {[from, (from + to) / 2, to].map((at) => (
          <span key={at}>{props.formatTime ? props.formatTime(at) : formatClock(at)}</span>
        ))}
      </p>
      <SeriesTable title={title} lines={lines} format={format} formatTime={timeOf} />
    </figure>
  );
}

interface CursorSliderProps extends HTMLAttributes<HTMLDivElement> {
  chart: TimeChartProps;
  /** Milliseconds since 1970. */
  at: number;
  timeOf: (at: number) => string;
}

/** Moves the cursor by keys and by the pointer, and says the values there. */
function CursorSlider({ chart, at, timeOf, ...handlers }: CursorSliderProps) {
  const { title, from, to, onZoom } = chart;
  return (
    <div
      className={styles.slider}
      data-zooms={onZoom !== undefined}
      role="slider"
      tabIndex={0}
      aria-label={`Time in ${title}`}
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={Math.round(Math.min(to, Math.max(from, at)))}
      aria-valuetext={valuesAt(chart, at, timeOf)}
      {...handlers}
    />
  );
}

interface LegendProps extends Pick<TimeChartProps, 'lines' | 'format'> {
  /** Milliseconds since 1970. */
  at: number;
  /** The longest distance of a value from that time. */
  gapMs: number;
}

/** The value of each line at a time. */
function Legend({ lines, at, gapMs, format }: LegendProps) {
  return (
    <ul className={styles.legend}>
      {lines.map(({ name, points, look }) => {
        const value = nearest(points, at, gapMs)?.value ?? null;
        return (
          <li key={name}>
            {lines.length > 1 && <Swatch look={look} />}
            <span className={styles.name}>{name}</span>
            <strong>{value === null ? '–' : format(value)}</strong>
          </li>
        );
      })}
    </ul>
  );
}

interface PlotProps extends Pick<TimeChartProps, 'format'> {
  drawn: readonly (Omit<ChartLine, 'points'> & Trace)[];
  marks: readonly ChartMark[];
  scale: Scale;
}

function Plot({ drawn, marks, scale, format }: PlotProps) {
  return (
    <>
      {scale.ticks.map((value) => (
        <span key={value} className={styles.tick} style={{ bottom: `${scale.at(value) * 100}%` }}>
          <span>{format(value)}</span>
        </span>
      ))}
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        preserveAspectRatio="none"
        className={styles.plot}
        aria-hidden="true"
      >
        {drawn.map(({ name, line, dots, fill, look }) => (
          <g key={name} data-look={look}>
            {look === 'main' && <path className={styles.fill} d={fill} />}
            <path className={styles.line} d={line} />
            <path className={styles.dots} d={dots} />
          </g>
        ))}
      </svg>
      {marks.map(({ name, value, look }) => (
        <span
          key={name}
          className={styles.mark}
          data-look={look}
          style={{ bottom: `${scale.at(value) * 100}%` }}
        >
          <span>
            {name} {format(value)}
          </span>
        </span>
      ))}
    </>
  );
}

function useScale({ lines, marks = [], axis, smallestStep }: TimeChartProps): Scale {
  return useMemo(() => {
    const values = lines.flatMap(({ points }) =>
      points.flatMap(({ value }) => (value === null ? [] : [value])),
    );
    const all = [...values, ...marks.map(({ value }) => value * headroom)];
    return axis === 'logarithmic' ? logScale(all) : linearScale(all, smallestStep);
  }, [lines, marks, axis, smallestStep]);
}

function Swatch({ look }: { look: ChartLine['look'] }) {
  return (
    <svg viewBox="0 0 18 4" width={18} height={4} aria-hidden="true">
      <g data-look={look}>
        <path className={styles.line} d="M1 2H17" />
      </g>
    </svg>
  );
}

/** The values at a time, in words. */
function valuesAt(
  { lines, stepMs, format }: TimeChartProps,
  at: number,
  timeOf: (at: number) => string,
): string {
  const values = lines.map(({ name, points }) => {
    const value = nearest(points, at, stepMs * stepsBridged)?.value ?? null;
    return `${name} ${value === null ? 'unknown' : format(value)}`;
  });
  return [timeOf(at), ...values].join(', ');
}

/** Describes the lines and limits in a few sentences. */
function describe({ lines, marks = [], format }: TimeChartProps): string {
  const ofLines = lines.flatMap(({ name, points }) => {
    const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
    const last = values.at(-1);
    if (last === undefined) return [];
    const [lowest, highest] = [Math.min(...values), Math.max(...values)];
    return [`${name}: from ${format(lowest)} to ${format(highest)}, last ${format(last)}.`];
  });
  return [...ofLines, ...marks.map(({ name, value }) => `${name} ${format(value)}.`)].join(' ');
}
