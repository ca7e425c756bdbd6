import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { UnreachableError } from '../../api/api-error.ts';
import { Card } from '../../components/card.tsx';
import { describeError } from '../../components/describe-error.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { LiveBadge } from '../../components/live-bar.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { AttentionList, ConfigurationNotes } from './attention.tsx';
import { findConcerns } from './concerns.ts';
import { Figures } from './figures.tsx';
import { Health } from './health.tsx';
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

/** In the place of the figures of a server that has nothing to give keys for. */
function FirstSteps() {
  const begin = (
    <Button component={Link} href="/content">
      Register the first content
    </Button>
  );
  return (
    <Card>
      <EmptyState icon="chart" title="Nothing to measure yet" action={begin}>
        Once players ask for keys, this page shows who is watching, how quickly keys are given, what is
        refused or fails, and how soon a revocation takes hold. It begins with a content: a name, whose key
        encrypts the video.
      </EmptyState>
    </Card>
  );
}

/** Above figures that could not be read anew. */
function OldFigures({ at, error }: { at: string; error: unknown }) {
  // That is said over every page.
  if (error instanceof UnreachableError) return null;
  const { title, advice } = describeError(error);
  return (
    <Notice kind="warning" title={title} role="status">
      {advice} The figures below are from <RelativeTime at={at} isFocusable />.
    </Notice>
  );
}
