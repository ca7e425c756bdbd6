import { useMemo } from 'react';
import type { RequestFigures, Statistics } from '../../api/statistics.ts';
import type { Point } from '../../charts/geometry.ts';
import { TimeChart, type TimeChartProps } from '../../charts/time-chart.tsx';
import { formatCount, formatDuration, formatRate, formatShare } from '../../components/format-numbers.ts';
import { formatClock } from '../../components/format-time.ts';
import styles from './overview.module.css';
import { thresholds } from './thresholds.ts';

const hourMs = 3_600_000;

/** The last hour in charts. */
export function OverviewCharts({ statistics }: { statistics: Statistics }) {
  const charts = useMemo(() => describeCharts(statistics), [statistics]);
  const to = Date.parse(statistics.at);
  const stepMs = statistics.stepSeconds * 1_000;
  const began = Date.parse(statistics.requests.series[0]?.at ?? statistics.at);
  const isYoung = began - stepMs > to - hourMs;
  return (
    <section aria-labelledby="charts">
      <h2 id="charts" className="visually-hidden">
        The last hour
      </h2>
      <div className={styles.charts}>
        {charts.map((chart) => (
          <div key={chart.title} className={styles.chart}>
            <TimeChart {...chart} from={to - hourMs} to={to} stepMs={stepMs} />
          </div>
        ))}
      </div>
      <p className={styles.memory}>
        {isYoung && `Counted since the server started, at ${formatClock(began)}. `}
        The last hour is kept in memory and lost at a restart. Use Prometheus for longer periods.
      </p>
    </section>
  );
}

type ChartDescription = Omit<TimeChartProps, 'from' | 'to' | 'stepMs'>;

const target = (value: number) => ({ name: 'target', value, look: 'target' as const });
const alert = (value: number) => ({ name: 'alert', value, look: 'alert' as const });

/** The six charts, in the order of the page. */
function describeCharts({ activeLeases, keyRequests, requests, player }: Statistics): ChartDescription[] {
  const ofKeys = (figure: keyof RequestFigures) => pointsOf(keyRequests.series, figure);
  const ofAll = (figure: keyof RequestFigures) => pointsOf(requests.series, figure);
  return [
    {
      title: 'Active leases',
      lines: [
        {
          name: 'leases',
          look: 'main',
          points: pointsOf(activeLeases.series, 'count'),
        },
      ],
      smallestStep: 1,
      format: formatCount,
      empty: 'No data yet',
    },
    {
      title: 'Key requests',
      lines: [{ name: 'per second', look: 'main', points: ofKeys('perSecond') }],
      format: formatRate,
      empty: 'No key requests yet',
    },
    {
      title: 'Key request duration',
      lines: [
        { name: 'p50', look: 'quiet', points: ofKeys('p50Ms') },
        { name: 'p95', look: 'main', points: ofKeys('p95Ms') },
        { name: 'p99', look: 'dashed', points: ofKeys('p99Ms') },
      ],
      marks: [target(thresholds.keyTargetMs), alert(thresholds.keyAlertMs)],
      axis: 'logarithmic',
      format: formatDuration,
      empty: 'No key requests in the last hour',
    },
    {
      title: 'Time to the first frame',
      lines: [
        { name: 'p50', look: 'quiet', points: pointsOf(player.series, 'firstFrameP50Ms') },
        { name: 'p95', look: 'main', points: pointsOf(player.series, 'firstFrameP95Ms') },
      ],
      marks: [target(thresholds.firstFrameTargetMs)],
      format: formatDuration,
      empty: 'No player reports in the last hour',
    },
    {
      title: 'Failed requests, 5xx',
      lines: [{ name: 'of all', look: 'main', points: ofAll('serverErrorShare') }],
      marks: [alert(thresholds.serverErrorAlert)],
      format: formatShare,
      empty: 'No requests yet',
    },
    {
      title: 'Refused requests, 4xx',
      lines: [{ name: 'of all', look: 'main', points: ofAll('clientErrorShare') }],
      marks: [alert(thresholds.clientErrorAlert)],
      format: formatShare,
      empty: 'No requests yet',
    },
  ];
}

function pointsOf<Figure extends string>(
  series: readonly ({ at: string } & Record<Figure, number | null>)[],
  figure: Figure,
): Point[] {
  return series.map((step) => ({ at: Date.parse(step.at), value: step[figure] }));
}
