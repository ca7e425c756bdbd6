import { Box, Skeleton } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { describeTarget } from '../../api/audit-target.ts';
import type { UsageKind } from '../../api/resources.ts';
import type { Usage } from '../../api/schema.ts';
import type { ChartLine } from '../../charts/geometry.ts';
import { TimeChart, type TimeChartProps } from '../../charts/time-chart.tsx';
import type { SharedCursor } from '../../charts/use-chart-pointer.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { countOf, formatCount, formatShare } from '../../components/format-numbers.ts';
import { formatClock } from '../../components/format-time.ts';
import { Section } from '../../components/section.tsx';
import { TimePicker } from '../../components/time-picker.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { useApp } from '../../session/app-context.ts';
import { fit, spanOf, type TimeView, timeForm } from '../../state/time-range.ts';
import { type ChangeFilter, useAddressFilter } from '../../state/use-address-filter.ts';
import { type Change, ChangeList, useChanges } from './changes.tsx';
import styles from './usage.module.css';
import { allOf, describeStep, refusedOf, servedOf, shareOf, stepsOf, toPoints } from './usage-lines.ts';
import { usageAddress } from './usage-view.ts';
import { useUsage } from './use-usage.ts';

interface UsageFrameProps {
  read: ReturnType<typeof useUsage>;
  view: TimeView;
  /** The targets of the changes that are marked. Default: all. */
  targets?: readonly string[] | undefined;
  children: (usage: Usage, changes: readonly Change[]) => ReactNode;
}

/** Usage with the changes that may explain it, or why there is none. */
export function UsageFrame({ read, view, targets, children }: UsageFrameProps) {
  const { usage, error, reload, isUpdating } = read;
  const { clock } = useApp();
  const changes = useChanges(view, targets);
  if (error !== null || usage?.unavailable)
    return (
      <Card>
        {error !== null ? (
          <ErrorState error={error} onRetry={reload} />
        ) : (
          <EmptyState icon="bars" title="Usage is not kept">
            USAGE_KEEP_DAYS=0 turns it off on this server.
          </EmptyState>
        )}
      </Card>
    );
  if (!usage) return <Skeleton width="100%" height="20rem" />;
  return (
    <div data-updating={isUpdating || undefined} className={styles.body}>
      {children(usage, changes)}
      <UnlimitedOnly>
        <ChangeList changes={changes} span={spanOf(view, clock.now())} />
      </UnlimitedOnly>
    </div>
  );
}

/** The properties that all charts of a page have in common. */
export type Shared = Pick<TimeChartProps, 'changes' | 'cursor' | 'onZoom'>;

interface UsageChartProps extends Shared {
  usage: Usage;
  title: string;
  lines: readonly ChartLine[];
  /** Whether the values are shares of requests. Otherwise they are counts. */
  isShare?: boolean;
  empty: string;
}

const dayMs = 86_400_000;

/** The time of a step, with its date in a range of more than a day. @param at milliseconds since 1970 */
export function formatStep(at: number, { from, to }: Pick<TimeChartProps, 'from' | 'to'>): string {
  return formatClock(at, to - from > dayMs ? 'dated' : 'minute');
}

/** Requests at each step of an answer. */
export function UsageChart({ usage, title, isShare = false, ...chart }: UsageChartProps) {
  const { from, to, stepMs } = stepsOf(usage);
  return (
    <TimeChart
      {...{ ...chart, from, to, stepMs }}
      {...(isShare ? { format: formatShare } : { format: formatCount, smallestStep: 1 })}
      title={`${title}, ${describeStep(stepMs)}`}
      formatTime={(at) => formatStep(at, { from, to })}
    />
  );
}

interface TotalChartsProps extends Shared {
  /** All requests, or the requests of one series. */
  totals: Usage['totals'];
  usage: Usage;
  /** Whether refusals are a share of the requests. Otherwise they are counted. */
  isShare?: boolean;
}

/** The sum of the range, and over time what was served and what was refused, each on an axis of its own: there are far fewer refusals. */
export function TotalCharts({ totals, usage, isShare = false, ...shared }: TotalChartsProps) {
  const refusedTitle = isShare ? 'Share refused' : 'Refused';
  const lines = useMemo(() => {
    const line = (name: string, look: ChartLine['look'], amountOf: typeof servedOf) => [
      { name, look, points: toPoints(totals, usage, amountOf) },
    ];
    return {
      served: line('Served', 'main', servedOf),
      refused: line(refusedTitle, 'series-2', isShare ? shareOf : refusedOf),
    };
  }, [totals, usage, isShare, refusedTitle]);
  const { served, refused } = totals;
  const requests = allOf(totals);
  return (
    <>
      <Box component="p" mb="1rem">
        <strong>{countOf(requests, 'request')}</strong> in this time: {formatCount(served)} served,{' '}
        {formatCount(refused)} refused{requests > 0 && ` (${formatShare(refused / requests)})`}.
      </Box>
      <div className={`columns ${styles.pair}`}>
        <UsageChart {...{ ...shared, usage }} title="Served" lines={lines.served} empty="No request" />
        <UsageChart
          {...{ ...shared, usage, isShare }}
          title={refusedTitle}
          lines={lines.refused}
          empty="No refusal"
        />
      </div>
    </>
  );
}

interface UsageChartsProps extends Pick<UsageFrameProps, 'view' | 'targets'> {
  change: ChangeFilter<TimeView>;
  cursor: SharedCursor;
  by: UsageKind;
  /** Empty for the requests of all. */
  id: string;
}

const none = { served: 0, refused: 0, points: [] };

/** The key requests of all, or of one series. */
export function UsageCharts({ view, change, cursor, by, id, targets }: UsageChartsProps) {
  const { clock } = useApp();
  const read = useUsage(view, { requests: 'keys', by, id });
  return (
    <UsageFrame {...{ read, view, targets }}>
      {(usage, changes) => (
        <Card>
          <TotalCharts
            totals={id ? (usage.series[0] ?? none) : usage.totals}
            {...{ usage, changes, cursor }}
            onZoom={(from, to) => change({ zoomed: fit({ from, to }, clock.now()) })}
          />
        </Card>
      )}
    </UsageFrame>
  );
}

interface UsageCardProps {
  by: 'content' | 'viewer' | 'api-key';
  id: string;
}

const form = timeForm('24h');

/** The key requests for one content, by one viewer or with one API key. */
export function UsageCard({ by, id }: UsageCardProps) {
  const [view, change] = useAddressFilter(form);
  const [at, move] = useState<number | null>(null);
  return (
    <Section title="Key requests" aside={<Link href={usageAddress(by, id, view)}>Usage over time</Link>}>
      <TimePicker view={view} change={change} cursorAt={at} />
      <UsageCharts {...{ view, change, by, id }} cursor={{ at, move }} targets={targetsOf({ by, id })} />
      <p className="note">
        The 50 busiest of each minute are counted by name. On a busy server a request of a rarer one may be
        missing here.
      </p>
    </Section>
  );
}

/** As the audit names it. A content is the target of its own changes and of revocations. */
function targetsOf({ by, id }: UsageCardProps): string[] {
  if (by === 'viewer') return [describeTarget({ viewerId: id, contentId: null })];
  return by === 'content' ? [id, describeTarget({ viewerId: null, contentId: id })] : [id];
}
