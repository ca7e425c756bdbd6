import { Skeleton } from '@mantine/core';
import styles from './overview.module.css';

/** Placeholder for the whole page, at about its height. */
export function OverviewSkeleton() {
  return (
    <div className={styles.page} aria-busy="true">
      <Skeleton width="100%" height="3.5rem" />
      <Skeleton width="100%" height="15rem" />
      <ChartsSkeleton />
      <span className="visually-hidden">Loading…</span>
    </div>
  );
}

const charts = ['leases', 'rate', 'duration', 'first frame', 'refused', 'failed'];

/** Placeholders for the six charts. */
function ChartsSkeleton() {
  return (
    <div className={styles.charts} aria-hidden="true">
      {charts.map((chart) => (
        <div key={chart} className={styles.chart}>
          <Skeleton width="100%" height="16.25rem" />
        </div>
      ))}
    </div>
  );
}
