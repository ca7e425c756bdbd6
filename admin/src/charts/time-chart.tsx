import { Box, Flex } from '@mantine/core';
import { useId, useMemo } from 'react';
import { formatClock } from '../components/format-time.ts';
import { Legend, useHiddenLines } from './chart-legend.tsx';
import {
  type ChartLine,
  latestAt,
  linearScale,
  logScale,
  looks,
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

/** Something that happened, and may explain the lines. */
export interface ChartChange {
  /** Milliseconds since 1970. */
  at: number;
  name: string;
}

export interface TimeChartProps {
  title: string;
  lines: readonly ChartLine[];
  marks?: readonly ChartMark[];
  changes?: readonly ChartChange[];
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
  /** Shared by the charts of a page. The pointer and the arrow keys move it. */
  cursor: SharedCursor;
  /** Takes a range that was dragged over. */
  onZoom: (from: number, to: number) => void;
  /** How times are shown. Default: the time of day. */
  formatTime?: (at: number) => string;
}

/** Units of the drawing. It is stretched to its place without its strokes, so nothing is measured and nothing moves. */
const size = { width: 1_000, height: 160 };
/** The same at each drawing. */
const none: readonly never[] = [];
/** Space above a limit for its name, as a factor. */
const headroom = 1.15;
/** The line bridges one missing step: samples come a little early or late. */
const stepsBridged = 2.5;

/** Lines over time. A description in words and a table have the same content for screen readers. */
export function TimeChart(props: TimeChartProps) {
  const { title, lines, marks = none, changes = none, from, to, stepMs, format, empty, cursor } = props;
  const titleId = useId();
  const hiding = useHiddenLines(lines);
  // A step that is not over has no value, so there may be none at the end of the axis.
  const restsAt = latestAt(hiding.shown) ?? to;
  const at = cursor.at ?? restsAt;
  const { selected, handlers } = useChartPointer({ from, to, stepMs, restsAt }, cursor, props.onZoom);
  const gapMs = stepMs * stepsBridged;
  const chart = { ...props, lines: hiding.shown };
  const scale = useScale(chart);
  const drawn = useMemo(
    () =>
      hiding.shown.map(({ points, ...line }) => ({
        ...line,
        ...trace(points, { ...size, from, to }, scale.at, gapMs),
      })),
    [hiding.shown, from, to, scale, gapMs],
  );
  const isEmpty = drawn.every(({ line, dots }) => line === '' && dots === '');
  const timeOf = props.formatTime ?? ((time: number) => formatClock(time, 'second'));
  const placeOf = (time: number) => `${((time - from) / (to - from)) * 100}%`;
  const isWithin = (time: number) => time >= from && time <= to;
  const pointedChanges = cursor.at === null ? '' : changesAt(chart, cursor.at);
  return (
    <figure aria-labelledby={titleId}>
      <Flex component="figcaption" align="baseline" justify="space-between" gap="1rem">
        <h3 id={titleId}>{title}</h3>
        <Box component="small" ta="end" aria-hidden="true">
          {cursor.at === null && !isEmpty && 'latest, '}
          {!isEmpty && timeOf(at)}
        </Box>
      </Flex>
      <Legend lines={lines} hiding={hiding} at={at} gapMs={gapMs} format={format} />
      <div className={styles.frame}>
        <div className={styles.drawing} role="img" aria-label={isEmpty ? empty : describe(chart)}>
          <Plot drawn={drawn} marks={marks} scale={scale} format={format} />
          {changes.map(
            (change, place) =>
              isWithin(change.at) && (
                <span key={place} className={styles.change} style={{ left: placeOf(change.at) }} />
              ),
          )}
          {selected && (
            <span
              className={styles.selected}
              style={{ left: placeOf(selected[0]), right: `calc(100% - ${placeOf(selected[1])})` }}
            />
          )}
          {cursor.at !== null && isWithin(cursor.at) && (
            <span className={styles.cursor} style={{ left: placeOf(cursor.at) }} />
          )}
          {isEmpty && <p className={`note ${styles.empty}`}>{empty}</p>}
          {pointedChanges && <p className={`cut ${styles.changes}`}>{pointedChanges}</p>}
        </div>
        <div
          className={styles.slider}
          role="slider"
          tabIndex={0}
          aria-label={`Time in ${title}`}
          aria-valuemin={from}
          aria-valuemax={to}
          aria-valuenow={Math.round(Math.min(to, Math.max(from, at)))}
          aria-valuetext={valuesAt(chart, at, timeOf)}
          {...handlers}
        />
      </div>
      <p className={styles.times} aria-hidden="true">
        {[from, (from + to) / 2, to].map((time) => (
          <span key={time}>{props.formatTime ? props.formatTime(time) : formatClock(time)}</span>
        ))}
      </p>
      <SeriesTable title={title} lines={lines} format={format} formatTime={timeOf} />
    </figure>
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
          <g key={name}>
            {look === 'main' && <path className={styles.fill} d={fill} />}
            <path className={styles.line} d={line} {...looks[look]} />
            <path className={styles.line} d={dots} stroke={looks[look].stroke} strokeWidth={4} />
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

function useScale({ lines, marks = none, axis, smallestStep }: TimeChartProps): Scale {
  return useMemo(() => {
    const values = lines.flatMap(({ points }) =>
      points.flatMap(({ value }) => (value === null ? [] : [value])),
    );
    const all = [...values, ...marks.map(({ value }) => value * headroom)];
    return axis === 'logarithmic' ? logScale(all) : linearScale(all, smallestStep);
  }, [lines, marks, axis, smallestStep]);
}

/** The values at a time, in words. */
function valuesAt(chart: TimeChartProps, at: number, timeOf: (at: number) => string): string {
  const { lines, stepMs, format } = chart;
  const values = lines.map(({ name, points }) => {
    const value = nearest(points, at, stepMs * stepsBridged)?.value ?? null;
    return `${name} ${value === null ? 'unknown' : format(value)}`;
  });
  const changed = changesAt(chart, at);
  return [timeOf(at), ...values, ...(changed ? [changed] : [])].join(', ');
}

/** A change that is closer to the cursor is named, as a share of the width. */
const closest = 0.01;
/** More do not fit in one line. */
const namedChanges = 2;

/** The changes at a time, in words; empty without one. */
function changesAt({ changes = none, from, to, stepMs }: TimeChartProps, at: number): string {
  const distance = Math.max(stepMs, (to - from) * closest);
  const names = changes.filter((change) => Math.abs(change.at - at) <= distance).map(({ name }) => name);
  const more = names.length - namedChanges;
  return names.slice(0, namedChanges).join('; ') + (more > 0 ? `; ${more} more` : '');
}

/** Describes the lines and limits in a few sentences. */
function describe({ lines, marks = none, format }: TimeChartProps): string {
  const ofLines = lines.flatMap(({ name, points }) => {
    const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
    const last = values.at(-1);
    if (last === undefined) return [];
    const [lowest, highest] = [Math.min(...values), Math.max(...values)];
    return [`${name}: from ${format(lowest)} to ${format(highest)}, last ${format(last)}.`];
  });
  return [...ofLines, ...marks.map(({ name, value }) => `${name} ${format(value)}.`)].join(' ');
}
