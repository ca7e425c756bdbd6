import { Button } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { type UsageKind, usageKinds } from '../../api/resources.ts';
import type { Usage } from '../../api/schema.ts';
import { TimeChart } from '../../charts/time-chart.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { FilterToggle, ToggleGroup } from '../../components/filters.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead, PageSkeleton } from '../../components/page-head.tsx';
import { useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { type ChangeFilter, useAddressFilter } from '../../state/use-address-filter.ts';
import { chartProps, totalLines } from './chart-props.ts';
import styles from './usage.module.css';
import { allOf, describeStep, refusedOf, type Steps, stepsOf, toLines } from './usage-lines.ts';
import { UsageTable } from './usage-table.tsx';
import { UsageToolbar } from './usage-toolbar.tsx';
import { fit, grafanaAddress, spanOf, type UsageView, usageForm } from './usage-view.ts';
import { useSeriesNames } from './use-series-names.ts';
import { useUsage } from './use-usage.ts';

/** How many requests were served and refused over time, and whose. */
export default function UsagePage() {
  const [addressed, change] = useAddressFilter(usageForm);
  // A key of some contents gets no other counts.
  const kinds = may(useCurrentApiKey(), 'whole-server') ? usageKinds : limitedKinds;
  const view = useMemo(
    () => (kinds.includes(addressed.by) ? addressed : { ...addressed, by: 'content' as const }),
    [addressed, kinds],
  );
  const [cursorAt, setCursorAt] = useState<number | null>(null);
  const { clock } = useApp();
  const { usage, error, reload, isUpdating } = useUsage(view);
  const shown = usage && !usage.unavailable ? usage : undefined;
  const span = spanOf(view, clock.now());
  return (
    <>
      <PageHead
        title="Usage"
        lead="Requests for keys and leases over time, and what was refused. Kept over restarts."
        actions={
          shown?.grafanaUrl && (
            <Button
              variant="default"
              component="a"
              href={grafanaAddress(shown.grafanaUrl, span)}
              target="_blank"
              rel="noreferrer"
            >
              Open in Grafana
            </Button>
          )
        }
      />
      <UsageToolbar view={view} change={change} span={span} cursorAt={cursorAt} />
      {error !== null && (
        <Card>
          <ErrorState error={error} onRetry={reload} />
        </Card>
      )}
      {!error && !usage && <PageSkeleton />}
      {usage?.unavailable && (
        <Card>
          <EmptyState icon="bars" title="Usage is not kept">
            USAGE_KEEP_DAYS=0 turns it off on this server.
          </EmptyState>
        </Card>
      )}
      {shown && (
        <div data-updating={isUpdating || undefined} className={styles.body}>
          <Charts
            {...{ view, kinds, change, usage: shown }}
            cursor={{ at: cursorAt, move: setCursorAt }}
            onZoom={(from, to) => change({ zoomed: fit({ from, to }, clock.now()) })}
          />
        </div>
      )}
    </>
  );
}

const limitedKinds: readonly UsageKind[] = ['content'];

const tabs: Record<UsageKind, string> = {
  code: 'Refusals by code',
  content: 'By content',
  viewer: 'By viewer',
  'api-key': 'By API key',
};

interface ChartsProps {
  view: UsageView;
  /** The API key may count by these. */
  kinds: readonly UsageKind[];
  change: ChangeFilter<UsageView>;
  usage: Usage;
  cursor: { at: number | null; move: (at: number | null) => void };
  onZoom: (from: number, to: number) => void;
}

function Charts({ view, kinds, change, usage, cursor, onZoom }: ChartsProps) {
  // What is shown belongs to the answer: while another one is read, that of the view before stays.
  const by = usage.by as UsageKind;
  const { id } = view;
  const steps = useMemo(() => stepsOf(usage), [usage]);
  const ids = useMemo(() => usage.series.map((series) => series.id), [usage]);
  const nameOf = useSeriesNames(by, ids);
  const each = describeStep(steps.stepMs);
  const common = { ...chartProps(steps), cursor, onZoom };
  const lines = useMemo(() => linesOf(usage, steps, nameOf), [usage, steps, nameOf]);
  const only = useCallback((series: string) => change({ id: series }), [change]);
  return (
    <>
      <h2 className="visually-hidden">All requests</h2>
      <Card>
        <TimeChart {...common} title={`All requests, ${each}`} lines={lines.totals} empty="No request" />
      </Card>
      <h2 className="visually-hidden">Whose requests</h2>
      <ToggleGroup label="Counted by">
        {kinds.map((kind) => (
          <FilterToggle key={kind} isOn={view.by === kind} onToggle={() => change({ by: kind, id: '' })}>
            {tabs[kind]}
          </FilterToggle>
        ))}
      </ToggleGroup>
      {id && (
        <p className={styles.only}>
          Only <OutsideText text={nameOf(id)} />{' '}
          <Button variant="default" size="compact-sm" onClick={() => change({ id: '' })}>
            Show all
          </Button>
        </p>
      )}
      <Card>
        <div className={styles.charts}>
          {by !== 'code' && (
            <TimeChart {...common} title={`${tabs[by]}, ${each}`} lines={lines.all} empty="No request" />
          )}
          <TimeChart {...common} title={`Refused, ${each}`} lines={lines.refused} empty="No refusal" />
          <UsageTable by={by} usage={usage} nameOf={nameOf} onOnly={only} />
        </div>
      </Card>
      <p className={styles.note}>
        Complete until {common.formatTime(steps.until)}. A minute is reported a few seconds after its end. The
        50 busiest of each kind are counted by name, and all others together.
      </p>
    </>
  );
}

function linesOf(usage: Usage, steps: Steps, nameOf: (id: string) => string) {
  return {
    totals: totalLines(usage.totals, steps),
    all: toLines(usage, steps, allOf, nameOf),
    refused: toLines(usage, steps, refusedOf, nameOf),
  };
}
