import { Box } from '@mantine/core';
import { useMemo } from 'react';
import type { Usage } from '../../api/schema.ts';
import type { ChartLine } from '../../charts/geometry.ts';
import { type ChartChange, TimeChart } from '../../charts/time-chart.tsx';
import type { SharedCursor } from '../../charts/use-chart-pointer.ts';
import { countOf, formatCount, formatShare } from '../../components/format-numbers.ts';
import { formatClock } from '../../components/format-time.ts';
import styles from './usage.module.css';
import {
  allOf,
  describeStep,
  refusedOf,
  type Steps,
  servedOf,
  shareOf,
  stepsOf,
  toPoints,
} from './usage-lines.ts';
import type { RefusedAs } from './usage-view.ts';

const dayMs = 86_400_000;

/** The properties that all charts of a page have in common. */
export interface Shared {
  changes: readonly ChartChange[];
  cursor: SharedCursor;
  onZoom: (from: number, to: number) => void;
}

/** The properties that all charts of usage have in common. */
export function chartProps({ from, to, stepMs }: Steps) {
  return {
    ...{ from, to, stepMs },
    formatTime: (at: number) => formatClock(at, to - from > dayMs ? 'dated' : 'minute'),
  };
}

export const countProps = { format: formatCount, smallestStep: 1 };
export const shareProps = { format: formatShare };

interface TotalChartsProps extends Shared {
  /** All requests, or the requests of one series. */
  totals: Usage['totals'];
  usage: Usage;
  refusedAs?: RefusedAs;
}

/** The sum of the range, and over time what was served and what was refused, each on an axis of its own: there are far fewer refusals. */
export function TotalCharts({ totals, usage, refusedAs = 'count', ...shared }: TotalChartsProps) {
  const steps = useMemo(() => stepsOf(usage), [usage]);
  const refusedName = refusedAs === 'count' ? 'Refused' : 'Share refused';
  const lines = useMemo(() => {
    const line = (name: string, look: ChartLine['look'], amountOf: typeof servedOf) => [
      { name, look, points: toPoints(totals, steps, amountOf, totals) },
    ];
    return {
      served: line('Served', 'main', servedOf),
      refused: line(refusedName, 'series-2', refusedAs === 'count' ? refusedOf : shareOf),
    };
  }, [totals, steps, refusedAs, refusedName]);
  const { served, refused } = totals;
  const requests = allOf(totals);
  const common = { ...chartProps(steps), ...shared };
  const each = describeStep(steps.stepMs);
  return (
    <>
      <Box component="p" mb="1rem">
        <strong>{countOf(requests, 'request')}</strong> in this time: {formatCount(served)} served,{' '}
        {formatCount(refused)} refused{requests > 0 && ` (${formatShare(refused / requests)})`}.
      </Box>
      <div className={`columns ${styles.pair}`}>
        <TimeChart
          {...common}
          {...countProps}
          title={`Served, ${each}`}
          lines={lines.served}
          empty="No request"
        />
        <TimeChart
          {...common}
          {...(refusedAs === 'count' ? countProps : shareProps)}
          title={`${refusedName}, ${each}`}
          lines={lines.refused}
          empty="No refusal"
        />
      </div>
    </>
  );
}
