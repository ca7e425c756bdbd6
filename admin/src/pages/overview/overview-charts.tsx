import { useMemo } from 'react';
import type { Statistics } from '../../api/statistics.ts';
import { formatClock } from '../../charts/format-clock.ts';
import { TimeChart } from '../../charts/time-chart.tsx';
import { describeCharts } from './describe-charts.ts';
import styles from './overview.module.css';

const hourMs = 3_600_000;

/** How the figures came to be: the last hour, step by step. */
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
        {isYoung && `Counted since ${formatClock(began)}, when the server started. `}
        The last hour is kept in memory, so it begins anew with each start; Prometheus keeps it for longer.
      </p>
    </section>
  );
}
