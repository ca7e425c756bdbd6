import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Statistics } from '../../api/schema.ts';
import {
  countOf,
  formatCount,
  formatDuration,
  formatRate,
  formatShare,
} from '../../components/format-numbers.ts';
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
      <dl className={`panel ${styles.figures}`}>
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
      <dt className="note">{name}</dt>
      <dd>
        <span className={styles.value}>{value}</span>
        {unit && <small className={styles.part}> {unit}</small>}
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
