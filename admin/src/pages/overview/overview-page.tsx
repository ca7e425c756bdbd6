import { ErrorState } from '../../components/error-state.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { AttentionList } from './attention-list.tsx';
import { findConcerns } from './concerns.ts';
import { ConfigurationNotes } from './configuration-notes.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Health } from './health.tsx';
import { OldFigures } from './old-figures.tsx';
import styles from './overview.module.css';
import { OverviewCharts } from './overview-charts.tsx';
import { OverviewSkeleton } from './overview-skeleton.tsx';
import { Revocations } from './revocations.tsx';
import { useOverview } from './use-overview.ts';

/** What needs somebody first, then the figures, then how they came to be. */
export default function OverviewPage() {
  const { statistics, changes, activeLeases, isFresh, error, stream, retry } = useOverview();
  return (
    <>
      <PageHead
        title="Overview"
        lead="What needs you, and the last hour in figures."
        actions={<LiveBadge state={stream} />}
      />
      {!statistics && error ? <ErrorState error={error} onRetry={retry} /> : null}
      {!statistics && !error && <OverviewSkeleton />}
      {statistics && (
        <div className={styles.page}>
          {error ? <OldFigures at={statistics.at} error={error} /> : null}
          <AttentionList concerns={findConcerns(statistics)} isCurrent={!error} />
          {isFresh ? (
            <FirstSteps />
          ) : (
            <>
              <Figures statistics={statistics} activeLeases={activeLeases} />
              <OverviewCharts statistics={statistics} />
              <Revocations changes={changes} />
            </>
          )}
          <div className={styles.pair}>
            <Health statistics={statistics} />
            <ConfigurationNotes warnings={statistics.warnings} />
          </div>
        </div>
      )}
    </>
  );
}
