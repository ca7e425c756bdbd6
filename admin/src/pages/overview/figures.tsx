import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import type { Statistics } from '../../api/schema.ts';
import type { Point } from '../../charts/geometry.ts';
import { TimeChart, type TimeChartProps } from '../../charts/time-chart.tsx';
import {
  countOf,
  formatCount,
  formatDuration,
  formatRate,
  formatShare,
} from '../../components/format-numbers.ts';
import { formatClock } from '../../components/format-time.ts';
import styles from './overview.module.css';
import { leastSample, leastShareSample, thresholds } from './thresholds.ts';

interface FiguresProps {
  statistics: Statistics;
  /** Undefined if unknown. */
  activeLeases: number | undefined;
}

/** The current state in six numbers. */
export function Figures({ statistics, activeLeases }: FiguresProps) {
  const { keyRequests, playbackRequests, requests, player, endedLeases } = statistics;
  const { lastMinute, lastHour } = keyRequests;
  const { p50Ms, p95Ms, p99Ms } = lastMinute;
  const { firstFrameP50Ms, firstFrameP95Ms, stallsPerReport, reports } = player.lastHour;
  const { serverErrorShare } = requests.lastHour;
  const { clientErrorShare, count: asked } = playbackRequests.lastHour;
  return (
    <section aria-labelledby="figures">
      <h2 id="figures" className="visually-hidden">
        Figures
      </h2>
      <dl className={styles.figures}>
        <Figure name="Active leases" value={activeLeases === undefined ? '–' : formatCount(activeLeases)}>
          now · {formatCount(endedLeases.lastHour)} returned in the last hour ·{' '}
          <Link href="/leases?state=active">Show them</Link>
        </Figure>
        <Figure name="Key requests" value={formatRate(lastMinute.perSecond)} unit="per second">
          in the last minute · {formatCount(lastHour.count)} in the last hour
        </Figure>
        <Figure
          name="Key request, p95"
          value={formatOr(formatDuration, p95Ms)}
          state={stateOf(lastMinute.count, p95Ms, thresholds.keyTargetMs, thresholds.keyAlertMs)}
        >
          in the last minute · <Part>p50 {formatOr(formatDuration, p50Ms)}</Part> ·{' '}
          <Part>p99 {formatOr(formatDuration, p99Ms)}</Part> ·{' '}
          <Part>target {formatDuration(thresholds.keyTargetMs)}</Part>
        </Figure>
        <Figure
          name="Failed, 5xx"
          value={formatOr(formatShare, serverErrorShare)}
          state={stateOf(Number.POSITIVE_INFINITY, serverErrorShare, null, thresholds.serverErrorAlert)}
        >
          of {countOf(requests.lastHour.count, 'request')} in the last hour ·{' '}
          <Part>alert {formatShare(thresholds.serverErrorAlert)}</Part>
        </Figure>
        <Figure
          name="Refused, 4xx"
          value={formatOr(formatShare, clientErrorShare)}
          state={stateOf(asked, clientErrorShare, thresholds.clientErrorAlert, null, leastShareSample)}
        >
          of {countOf(asked, 'key and lease request')} in the last hour ·{' '}
          <Part>alert {formatShare(thresholds.clientErrorAlert)}</Part>
        </Figure>
        <Figure
          name="First frame, p95"
          value={formatOr(formatDuration, firstFrameP95Ms)}
          state={stateOf(reports, firstFrameP95Ms, thresholds.firstFrameTargetMs, null)}
        >
          {reports === 0
            ? 'no player reports in the last hour'
            : `p50 ${formatOr(formatDuration, firstFrameP50Ms)} · ${stallsPerReport ?? 0} stalls per playback · ${countOf(reports, 'report')}`}
        </Figure>
      </dl>
    </section>
  );
}

/** Keeps a number with its unit and name on one line. */
function Part({ children }: { children: ReactNode }) {
  return <span className={styles.part}>{children}</span>;
}

interface FigureProps {
  name: string;
  value: string;
  unit?: string;
  state?: State;
  /** Period, details and target. */
  children: ReactNode;
}

type State = 'fine' | 'warning' | 'bad';
const stateWords: Record<State, string> = { fine: '', warning: 'too high', bad: 'over the alert' };

function Figure({ name, value, unit, state = 'fine', children }: FigureProps) {
  return (
    <div className={styles.figure} data-state={state}>
      <dt>{name}</dt>
      <dd>
        <span className={styles.value}>{value}</span>
        {unit && <span className={styles.unit}> {unit}</span>}
        {state !== 'fine' && <span className={styles.state}>{stateWords[state]}</span>}
      </dd>
      <dd className={styles.of}>{children}</dd>
    </div>
  );
}

function formatOr(format: (value: number) => string, value: number | null): string {
  return value === null ? '–' : format(value);
}

function stateOf(
  sample: number,
  value: number | null,
  target: number | null,
  alert: number | null,
  least = leastSample,
): State {
  if (value === null || sample < least) return 'fine';
  if (alert !== null && value > alert) return 'bad';
  return target !== null && value > target ? 'warning' : 'fine';
}

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

type Measure = keyof Statistics['requests']['lastMinute'];
type ChartDescription = Omit<TimeChartProps, 'from' | 'to' | 'stepMs'>;

const target = (value: number) => ({ name: 'target', value, look: 'target' as const });
const alert = (value: number) => ({ name: 'alert', value, look: 'alert' as const });

/** The six charts, in the order of the page. */
function describeCharts({
  activeLeases,
  keyRequests,
  playbackRequests,
  requests,
  player,
}: Statistics): ChartDescription[] {
  const ofKeys = (figure: Measure) => pointsOf(keyRequests.series, figure);
  const refusals = pointsOf(playbackRequests.series, 'clientErrorShare');
  const ofAll = (figure: Measure) => pointsOf(requests.series, figure);
  return [
    {
      title: 'Active leases',
      lines: [{ name: 'leases', look: 'main', points: pointsOf(activeLeases.series, 'count') }],
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
      lines: [{ name: 'of key and lease requests', look: 'main', points: refusals }],
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
