import { Skeleton } from '../../components/skeleton.tsx';
import { ChartsSkeleton } from './charts-skeleton.tsx';
import styles from './overview.module.css';

/** In the place of everything, at about its height. */
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
