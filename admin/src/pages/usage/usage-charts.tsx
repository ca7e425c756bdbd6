import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UsageKind } from '../../api/resources.ts';
import type { Usage } from '../../api/schema.ts';
import type { SharedCursor } from '../../charts/use-chart-pointer.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { useApp } from '../../session/app-context.ts';
import { fit, spanOf, type TimeView } from '../../state/time-range.ts';
import type { ChangeFilter } from '../../state/use-address-filter.ts';
import { type Change, ChangeList, useChanges } from './changes.tsx';
import { TotalCharts } from './total-charts.tsx';
import styles from './usage.module.css';
import { type ReadUsage, useUsage } from './use-usage.ts';

interface UsageFrameProps {
  read: ReadUsage;
  view: TimeView;
  changes: readonly Change[];
  children: (usage: Usage) => ReactNode;
}

/** Usage with the changes that may explain it, or why there is none. */
export function UsageFrame({ read, view, changes, children }: UsageFrameProps) {
  const { usage, error, reload, isUpdating } = read;
  const { clock } = useApp();
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
      {children(usage)}
      <UnlimitedOnly>
        <ChangeList changes={changes} span={spanOf(view, clock.now())} />
      </UnlimitedOnly>
    </div>
  );
}

interface UsageChartsProps {
  view: TimeView;
  change: ChangeFilter<TimeView>;
  cursor: SharedCursor;
  by: UsageKind;
  /** Empty for the requests of all. */
  id: string;
  /** The targets of the changes that are marked. Default: all. */
  targets?: readonly string[];
}

const none = { served: 0, refused: 0, points: [] };

/** The key requests of all, or of one series. */
export function UsageCharts({ view, change, cursor, by, id, targets }: UsageChartsProps) {
  const { clock } = useApp();
  const read = useUsage(view, { requests: 'keys', by, id });
  const changes = useChanges(view, targets);
  return (
    <UsageFrame {...{ read, view, changes }}>
      {(usage) => (
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
