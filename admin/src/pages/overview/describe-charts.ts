import type { PlayerFigures, RequestFigures, RequestSeries, Statistics } from '../../api/statistics.ts';
import type { TimeChartProps } from '../../charts/time-chart.tsx';
import type { Point } from '../../charts/trace.ts';
import { formatCount } from '../../components/format-count.ts';
import { formatDuration, formatRate, formatShare } from './format-figures.ts';
import { thresholds } from './thresholds.ts';

export type ChartDescription = Omit<TimeChartProps, 'from' | 'to' | 'stepMs'>;

const target = (value: number) => ({ name: 'target', value, look: 'target' as const });
const alert = (value: number) => ({ name: 'alert', value, look: 'alert' as const });

/** Six charts, in the order of the page. */
export function describeCharts({
  activeLeases,
  keyRequests,
  requests,
  player,
}: Statistics): ChartDescription[] {
  const ofKeys = (figure: keyof RequestFigures) => requestPoints(keyRequests, figure);
  const ofAll = (figure: keyof RequestFigures) => requestPoints(requests, figure);
  return [
    {
      title: 'Active leases',
      lines: [
        {
          name: 'leases',
          look: 'main',
          points: activeLeases.series.map(({ at, count }) => pointOf(at, count)),
        },
      ],
      smallestStep: 1,
      format: formatCount,
      empty: 'Not counted yet',
    },
    {
      title: 'Key requests',
      lines: [{ name: 'a second', look: 'main', points: ofKeys('perSecond') }],
      format: formatRate,
      empty: 'No key was asked for yet',
    },
    {
      title: 'How long key requests take',
      lines: [
        { name: 'p50', look: 'quiet', points: ofKeys('p50Ms') },
        { name: 'p95', look: 'main', points: ofKeys('p95Ms') },
        { name: 'p99', look: 'dashed', points: ofKeys('p99Ms') },
      ],
      marks: [target(thresholds.keyTargetMs), alert(thresholds.keyAlertMs)],
      axis: 'logarithmic',
      format: formatDuration,
      empty: 'No key was asked for in the last hour',
    },
    {
      title: 'Time to the first frame',
      lines: [
        { name: 'p50', look: 'quiet', points: playerPoints(player.series, 'firstFrameP50Ms') },
        { name: 'p95', look: 'main', points: playerPoints(player.series, 'firstFrameP95Ms') },
      ],
      marks: [target(thresholds.firstFrameTargetMs)],
      format: formatDuration,
      empty: 'No player has reported in the last hour',
    },
    {
      title: 'Failed requests, 5xx',
      lines: [{ name: 'of all', look: 'main', points: ofAll('serverErrorShare') }],
      marks: [alert(thresholds.serverErrorAlert)],
      format: formatShare,
      empty: 'No request yet',
    },
    {
      title: 'Refused requests, 4xx',
      lines: [{ name: 'of all', look: 'main', points: ofAll('clientErrorShare') }],
      marks: [alert(thresholds.clientErrorAlert)],
      format: formatShare,
      empty: 'No request yet',
    },
  ];
}

function requestPoints({ series }: RequestSeries, figure: keyof RequestFigures): Point[] {
  return series.map((step) => pointOf(step.at, step[figure]));
}

function playerPoints(series: Statistics['player']['series'], figure: keyof PlayerFigures): Point[] {
  return series.map((step) => pointOf(step.at, step[figure]));
}

function pointOf(at: string, value: number | null): Point {
  return { at: Date.parse(at), value };
}
