import type { Usage } from '../../api/schema.ts';
import { formatCount } from '../../components/format-numbers.ts';
import { formatDay } from '../../components/format-time.ts';
import { refusedOf, type Steps, servedOf, toPoints } from './usage-lines.ts';

const dayMs = 86_400_000;

/** Served and refused requests as two lines. */
export function totalLines(series: Usage['totals'], steps: Steps) {
  return [
    { name: 'Served', points: toPoints(series, steps, servedOf), look: 'main' as const },
    { name: 'Refused', points: toPoints(series, steps, refusedOf), look: 'series-2' as const },
  ];
}

/** What all charts of usage have in common. */
export function chartProps({ from, to, stepMs }: Steps) {
  return {
    ...{ from, to, stepMs, smallestStep: 1 },
    format: formatCount,
    formatTime: (at: number) => formatDay(at, to - from > dayMs),
  };
}
