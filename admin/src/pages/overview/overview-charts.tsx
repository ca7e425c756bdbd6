import { Box } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Statistics } from '../../api/schema.ts';
import type { ChartLine } from '../../charts/geometry.ts';
import { TimeChart, type TimeChartProps } from '../../charts/time-chart.tsx';
import type { SharedCursor } from '../../charts/use-chart-pointer.ts';
import { formatCount, formatDuration, formatRate, formatShare } from '../../components/format-numbers.ts';
import { formatClock } from '../../components/format-time.ts';
import { TimePicker } from '../../components/time-picker.tsx';
import { fit, type Span, spanOf, timeForm } from '../../state/time-range.ts';
import { useAddressFilter } from '../../state/use-address-filter.ts';
import { startsOf } from '../usage/changes.tsx';
import { UsageCharts } from '../usage/usage-charts.tsx';
import { type AuditedChange, describeChange } from './audited-changes.ts';
import styles from './overview.module.css';
import { thresholds } from './thresholds.ts';

interface OverviewChartsProps {
  statistics: Statistics;
  changes: readonly AuditedChange[];
}

const form = timeForm('1h');
const hourMs = 3_600_000;
/** The clocks of the server and of the page may differ. */
const toleranceMs = 60_000;

/** The figures over time: the last hour from memory, and key requests before it from the kept usage. */
export function OverviewCharts({ statistics, changes }: OverviewChartsProps) {
  const [view, change] = useAddressFilter(form);
  const [at, move] = useState<number | null>(null);
  const now = Date.parse(statistics.at);
  const span = spanOf(view, now);
  const cursor = { at, move };
  return (
    <section aria-labelledby="charts">
      <h2 id="charts" className="visually-hidden">
        Over time
      </h2>
      <TimePicker view={view} change={change} cursorAt={at} />
      {span.from >= now - hourMs - toleranceMs ? (
        <HourCharts
          {...{ statistics, changes, span, cursor }}
          onZoom={(from, to) => change({ zoomed: fit({ from, to }, now) })}
        />
      ) : (
        <>
          <UsageCharts {...{ view, change, cursor }} by="code" id="" />
          <Box component="p" className="note" mt="0.75rem">
            Leases, durations, failures and players are kept for an hour. Use Prometheus for longer periods.
          </Box>
        </>
      )}
    </section>
  );
}

interface HourChartsProps extends OverviewChartsProps {
  span: Span;
  cursor: SharedCursor;
  onZoom: (from: number, to: number) => void;
}

function HourCharts({ statistics, changes, span: { from, to }, cursor, onZoom }: HourChartsProps) {
  const charts = useMemo(() => describeCharts(statistics, { from, to }), [statistics, from, to]);
  const marks = [
    ...changes.map((change) => ({ at: Date.parse(change.at), name: describeChange(change) })),
    ...startsOf(statistics.processes),
  ];
  const stepMs = statistics.stepSeconds * 1_000;
  const began = Date.parse(statistics.requests.series[0]?.at ?? statistics.at);
  const isYoung = began - stepMs > from;
  return (
    <>
      <div className={styles.charts}>
        {charts.map((chart) => (
          <div key={chart.title} className={`panel ${styles.chart}`}>
            <TimeChart {...chart} {...{ from, to, stepMs, cursor, onZoom }} changes={marks} />
          </div>
        ))}
      </div>
      <Box component="p" className="note" mt="0.75rem">
        {isYoung && `Counted since the server started, at ${formatClock(began)}. `}
        The last hour is kept in memory and lost at a restart. Use Prometheus for longer periods.
      </Box>
    </>
  );
}

type Series<Figure extends string> = readonly ({ at: string } & Record<Figure, number | null>)[];
type ChartDescription = Omit<TimeChartProps, 'from' | 'to' | 'stepMs' | 'cursor' | 'onZoom'>;

const target = (value: number) => ({ name: 'target', value, look: 'target' as const });
const alert = (value: number) => ({ name: 'alert', value, look: 'alert' as const });

/** The six charts, in the order of the page. */
function describeCharts(
  { activeLeases, keyRequests, playbackRequests, requests, player }: Statistics,
  span: Span,
): ChartDescription[] {
  const line = <Figure extends string>(
    name: string,
    { series }: { series: Series<Figure> },
    figure: Figure,
    look: ChartLine['look'] = 'main',
  ) => {
    const points = series.map((step) => ({ at: Date.parse(step.at), value: step[figure] }));
    return { name, look, points: points.filter(({ at }) => at >= span.from && at <= span.to) };
  };
  return [
    {
      title: 'Active leases',
      lines: [line('leases', activeLeases, 'count')],
      smallestStep: 1,
      format: formatCount,
      empty: 'No data yet',
    },
    {
      title: 'Key requests',
      lines: [line('per second', keyRequests, 'perSecond')],
      format: formatRate,
      empty: 'No key requests yet',
    },
    {
      title: 'Key request duration',
      lines: [
        line('p50', keyRequests, 'p50Ms', 'quiet'),
        line('p95', keyRequests, 'p95Ms'),
        line('p99', keyRequests, 'p99Ms', 'dashed'),
      ],
      marks: [target(thresholds.keyTargetMs), alert(thresholds.keyAlertMs)],
      axis: 'logarithmic',
      format: formatDuration,
      empty: 'No key requests in the last hour',
    },
    {
      title: 'Time to the first frame',
      lines: [line('p50', player, 'firstFrameP50Ms', 'quiet'), line('p95', player, 'firstFrameP95Ms')],
      marks: [target(thresholds.firstFrameTargetMs)],
      format: formatDuration,
      empty: 'No player reports in the last hour',
    },
    {
      title: 'Failed requests, 5xx',
      lines: [line('of all', requests, 'serverErrorShare')],
      marks: [alert(thresholds.serverErrorAlert)],
      format: formatShare,
      empty: 'No requests yet',
    },
    {
      title: 'Refused requests, 4xx',
      lines: [line('of key and lease requests', playbackRequests, 'clientErrorShare')],
      marks: [alert(thresholds.clientErrorAlert)],
      format: formatShare,
      empty: 'No requests yet',
    },
  ];
}
