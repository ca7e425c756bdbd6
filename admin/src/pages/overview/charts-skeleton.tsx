import { Skeleton } from '../../components/skeleton.tsx';
import styles from './overview.module.css';

const charts = ['leases', 'rate', 'duration', 'first frame', 'refused', 'failed'];

/** Six charts that are not there yet, each with its room. */
export function ChartsSkeleton() {
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
