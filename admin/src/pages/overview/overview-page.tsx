import { Button, Flex, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { reading } from '../../api/api.ts';
import { UnreachableError } from '../../api/api-error.ts';
import { Card } from '../../components/card.tsx';
import { describeError } from '../../components/describe-error.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { LiveBadge } from '../../components/live-bar.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, PageSkeleton } from '../../components/page-head.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { readingProblems } from '../../state/reading-problems.ts';
import { useEagerQuery } from '../../state/use-eager-query.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import { useSteadyError } from '../../state/use-steady-error.ts';
import { countingLeases } from '../leases/active-count.tsx';
import { useAuditedChanges } from './audited-changes.ts';
import { Figures } from './figures.tsx';
import styles from './overview.module.css';
import { OverviewCharts } from './overview-charts.tsx';
import { Revocations } from './revocations.tsx';
import { AttentionList, ConfigurationNotes, Health } from './server-state.tsx';

export default function OverviewPage() {
  return may(useCurrentApiKey(), 'whole-server') ? <ServerOverview /> : <LimitedOverview />;
}

/** For an API key of some contents: its own numbers. The server refuses the statistics to it. */
function LimitedOverview() {
  const api = useApi();
  const contents = useQuery(reading(api, '/api/v1/content', { query: { limit: 1 } }));
  const leases = useQuery(countingLeases(api, {}));
  const error = contents.error ?? leases.error;
  const retry = () => {
    void contents.refetch();
    void leases.refetch();
  };
  return (
    <>
      <PageHead title="Overview" lead="The contents of this key." />
      <Notice title="This key is limited to some contents">
        Figures of the whole server, the audit, webhooks and settings need a key of all contents.
      </Notice>
      {error ? <ErrorState error={error} onRetry={retry} /> : null}
      {!error && (!contents.data || !leases.data) && <PageSkeleton />}
      {!error && contents.data && leases.data && (
        <Card>
          <FactList
            facts={{
              Contents: <Link href="/content">{formatCount(contents.data.total)}</Link>,
              'Active leases': <Link href="/leases">{formatCount(leases.data.total_active ?? 0)}</Link>,
              Requests: <Link href="/usage">Usage over time</Link>,
            }}
          />
        </Card>
      )}
    </>
  );
}

/** Open problems first, then figures, then charts. */
function ServerOverview() {
  const { statistics, changes, activeLeases, isFresh, error, retry } = useOverview();
  return (
    <>
      <PageHead
        title="Overview"
        lead="Open problems, and the figures of the last hour."
        actions={<LiveBadge />}
      />
      {!statistics && (error ? <ErrorState error={error} onRetry={retry} /> : <OverviewSkeleton />)}
      {statistics && (
        <Flex direction="column" gap="1.5rem">
          {/* A banner over every page reports a server that does not answer. */}
          {error && !(error instanceof UnreachableError) && (
            <Notice kind="warning" title={describeError(error).title} role="status">
              {describeError(error).advice} The figures below are from{' '}
              <RelativeTime at={statistics.at} isFocusable />.
            </Notice>
          )}
          <AttentionList statistics={statistics} isCurrent={!error} />
          {isFresh ? (
            <FirstSteps />
          ) : (
            <>
              <Figures statistics={statistics} activeLeases={activeLeases} />
              <OverviewCharts statistics={statistics} changes={changes} />
              <Revocations changes={changes} />
            </>
          )}
          <div className={`columns ${styles.pair}`}>
            <Health statistics={statistics} />
            <ConfigurationNotes warnings={statistics.warnings} />
          </div>
        </Flex>
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

const charts = ['leases', 'rate', 'duration', 'first frame', 'refused', 'failed'];

/** Placeholder for the whole page, at about its height. */
function OverviewSkeleton() {
  return (
    <Flex direction="column" gap="1.5rem" aria-busy="true">
      <Skeleton width="100%" height="3.5rem" />
      <Skeleton width="100%" height="15rem" />
      <div className={styles.charts} aria-hidden="true">
        {charts.map((chart) => (
          <div key={chart} className={`panel ${styles.chart}`}>
            <Skeleton width="100%" height="16.25rem" />
          </div>
        ))}
      </div>
      <span className="visually-hidden">Loading…</span>
    </Flex>
  );
}

/** The length of a step. No event reports requests, durations and outages, so they are polled. */
const pollMs = 10_000;

/** The figures, refreshed by time and by events. */
function useOverview() {
  const api = useApi();
  const statistics = useEagerQuery({ ...reading(api, '/api/v1/statistics', {}), refetchInterval: pollMs });
  const queries = useQueryClient();
  const { data } = statistics;
  // The navigation counts the same problems as this page shows.
  useEffect(
    () => void (data && queries.setQueryData(readingProblems(api).queryKey, data)),
    [api, queries, data],
  );
  const leases = useQuery(countingLeases(api, {}));
  const contents = useQuery({
    ...reading(api, '/api/v1/content', { query: { limit: 1 } }),
    // Content is never removed, only disabled, so this is read until there is some.
    staleTime: ({ state }) => (state.data && state.data.total > 0 ? Number.POSITIVE_INFINITY : 0),
  });
  const { changes, isKnown } = useAuditedChanges(statistics.data?.statistics.changes);
  const refresh = () => {
    void statistics.refetch({ cancelRefetch: false });
    void leases.refetch({ cancelRefetch: false });
    if (contents.data?.total === 0) void contents.refetch({ cancelRefetch: false });
  };
  // The audit record of an action arrives with the event of the action.
  useLiveRefresh(refresh, ({ topic }) => topic !== 'audit');
  // Leases expire without an event, so either count can be the older one.
  const isCountedLater = leases.dataUpdatedAt + pollMs > statistics.dataUpdatedAt;
  const sampled = data?.statistics.activeLeases.count ?? undefined;
  const counted = leases.data?.total_active;
  const activeLeases = isCountedLater ? (counted ?? sampled) : (sampled ?? counted);
  // Counting a million leases takes as long as all the rest. Until then the count of some seconds ago is shown.
  const isCounted = activeLeases !== undefined || !leases.isPending;
  return {
    /** Undefined until what is shown is known, so that the page appears in one step. Kept during an error. */
    statistics: isCounted && !contents.isPending && isKnown ? statistics.data?.statistics : undefined,
    changes,
    activeLeases,
    /** Whether no content is registered yet. */
    isFresh: contents.data?.total === 0,
    error: useSteadyError(statistics),
    retry: refresh,
  };
}
