import { Badge, Button, Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import { UnreachableError } from '../../api/api-error.ts';
import type { Statistics } from '../../api/statistics.ts';
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
import { describeDependency, nameOfDependency } from './dependencies.ts';
import { Figures } from './figures.tsx';
import styles from './overview.module.css';
import { OverviewCharts } from './overview-charts.tsx';
import { Revocations } from './revocations.tsx';
import { useOverview } from './use-overview.ts';

/** Open problems first, then figures, then charts. */
export default function OverviewPage() {
  const { statistics, changes, activeLeases, isFresh, error, stream, retry } = useOverview();
  return (
    <>
      <PageHead
        title="Overview"
        lead="Open problems, and the figures of the last hour."
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

/** Shown in place of figures while the server has no content. */
function FirstSteps() {
  const begin = (
    <Button component={Link} href="/content">
      Register the first content
    </Button>
  );
  return (
    <Card>
      <EmptyState icon="chart" title="Nothing to measure yet" action={begin}>
        Once players request keys, this page shows how many viewers watch, how fast keys are served, what is
        refused or fails, and how soon a revocation takes effect. To begin, register a content.
      </EmptyState>
    </Card>
  );
}

/** Shown above old figures that could not be refreshed. */
function OldFigures({ at, error }: { at: string; error: unknown }) {
  // A banner over every page reports this.
  if (error instanceof UnreachableError) return null;
  const { title, advice } = describeError(error);
  return (
    <Notice kind="warning" title={title} role="status">
      {advice} The figures below are from <RelativeTime at={at} isFocusable />.
    </Notice>
  );
}

/** Dependencies and replicas of the server. */
function Health({ statistics: { ready, dependencies, replicas } }: { statistics: Statistics }) {
  return (
    <Card>
      <section aria-labelledby="health">
        <h2 id="health" className={styles.heading}>
          Health <Badge color={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>
        </h2>
        <ul className={styles.rows}>
          {Object.entries(dependencies).map(([name, state]) => (
            <li key={name}>
              <span className={styles.rowName}>
                {nameOfDependency(name)}
                <small>{describeDependency(state)}</small>
              </span>
              <Badge color={state.status === 'up' ? 'good' : 'bad'}>{state.status}</Badge>
            </li>
          ))}
          {replicas.map(({ replica, startedAt }) => (
            <li key={replica}>
              <span className={styles.rowName}>
                {replicas.length === 1 ? 'Serves keys' : 'Replica that serves keys'}
                <small>{replica}</small>
              </span>
              <span className={styles.since}>
                up since <RelativeTime at={startedAt} isFocusable />
              </span>
            </li>
          ))}
        </ul>
      </section>
    </Card>
  );
}

const charts = ['leases', 'rate', 'duration', 'first frame', 'refused', 'failed'];

/** Placeholder for the whole page, at about its height. */
function OverviewSkeleton() {
  return (
    <div className={styles.page} aria-busy="true">
      <Skeleton width="100%" height="3.5rem" />
      <Skeleton width="100%" height="15rem" />
      <div className={styles.charts} aria-hidden="true">
        {charts.map((chart) => (
          <div key={chart} className={styles.chart}>
            <Skeleton width="100%" height="16.25rem" />
          </div>
        ))}
      </div>
      <span className="visually-hidden">Loading…</span>
    </div>
  );
}
