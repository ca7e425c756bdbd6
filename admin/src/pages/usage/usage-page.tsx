import { Box, Button, Flex } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { type UsageKind, usageKinds, usageRequests } from '../../api/resources.ts';
import type { Usage } from '../../api/schema.ts';
import { TimeChart } from '../../charts/time-chart.tsx';
import { Card } from '../../components/card.tsx';
import { Choice } from '../../components/filters.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { TimePicker } from '../../components/time-picker.tsx';
import { useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { fit, spanOf } from '../../state/time-range.ts';
import { type ChangeFilter, useAddressFilter } from '../../state/use-address-filter.ts';
import { useChanges } from './changes.tsx';
import { chartProps, countProps, type Shared, shareProps, TotalCharts } from './total-charts.tsx';
import { UsageFrame } from './usage-charts.tsx';
import { allOf, describeStep, refusedOf, shareOf, shareOfAll, stepsOf, toLines } from './usage-lines.ts';
import { UsageTable } from './usage-table.tsx';
import { grafanaAddress, type RefusedAs, refusedForms, type UsageView, usageForm } from './usage-view.ts';
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
  const read = useUsage(view, { requests: view.requests, by: view.by, id: view.id });
  const grafanaUrl = read.usage?.grafanaUrl;
  const changes = useChanges(view);
  return (
    <>
      <PageHead
        title="Usage"
        lead="Requests for keys and leases over time, and what was refused. Kept over restarts."
        actions={
          grafanaUrl && (
            <Button
              variant="default"
              component="a"
              href={grafanaAddress(grafanaUrl, spanOf(view, clock.now()))}
              target="_blank"
              rel="noreferrer"
            >
              Open in Grafana
            </Button>
          )
        }
      />
      <TimePicker view={view} change={change} cursorAt={cursorAt}>
        <Choice
          label="Requests"
          of={usageRequests}
          nameOf={(requests) => requestNames[requests]}
          value={view.requests}
          onChoose={(requests) => change({ requests })}
        />
        <Choice
          label="Refused as"
          of={refusedForms}
          nameOf={(refused) => refusedNames[refused]}
          value={view.refused}
          onChoose={(refused) => change({ refused })}
        />
      </TimePicker>
      <UsageFrame {...{ read, view, changes }}>
        {(usage) => (
          <Charts
            {...{ view, kinds, change, usage, changes }}
            cursor={{ at: cursorAt, move: setCursorAt }}
            onZoom={(from, to) => change({ zoomed: fit({ from, to }, clock.now()) })}
          />
        )}
      </UsageFrame>
    </>
  );
}

const requestNames = { keys: 'Key requests', leases: 'Lease requests' };
const refusedNames = { count: 'Count refusals', share: 'Share refused' };

const limitedKinds: readonly UsageKind[] = ['content'];

const tabs: Record<UsageKind, string> = {
  code: 'Refusals by code',
  content: 'By content',
  viewer: 'By viewer',
  'api-key': 'By API key',
};

interface ChartsProps extends Shared {
  view: UsageView;
  /** The API key may count by these. */
  kinds: readonly UsageKind[];
  change: ChangeFilter<UsageView>;
  usage: Usage;
}

function Charts({ view, kinds, change, usage, ...shared }: ChartsProps) {
  // The charts belong to the answer: while another one is read, the answer of the previous view stays.
  const by = usage.by as UsageKind;
  const { id, refused } = view;
  const steps = useMemo(() => stepsOf(usage), [usage]);
  const ids = useMemo(() => usage.series.map((series) => series.id), [usage]);
  const nameOf = useSeriesNames(by, ids);
  const lines = useMemo(() => {
    const share = by === 'code' ? shareOfAll : shareOf;
    return {
      all: toLines(usage, steps, allOf, nameOf),
      refused: toLines(usage, steps, refused === 'count' ? refusedOf : share, nameOf),
    };
  }, [usage, steps, nameOf, by, refused]);
  const only = useCallback((series: string) => change({ id: series }), [change]);
  const common = { ...chartProps(steps), ...shared };
  const each = describeStep(steps.stepMs);
  return (
    <>
      <h2 className="visually-hidden">All requests</h2>
      <Card>
        <TotalCharts totals={usage.totals} usage={usage} refusedAs={refused} {...shared} />
      </Card>
      <h2 className="visually-hidden">Whose requests</h2>
      <Choice
        label="Counted by"
        of={kinds}
        nameOf={(kind) => tabs[kind]}
        value={view.by}
        onChoose={(kind) => change({ by: kind, id: '' })}
      />
      {id && (
        <Box component="p" mb="1rem">
          Only <OutsideText text={nameOf(id)} />{' '}
          <Button variant="default" size="compact-sm" onClick={() => change({ id: '' })}>
            Show all
          </Button>
        </Box>
      )}
      <Card>
        <Flex direction="column" gap="1.75rem">
          {by !== 'code' && (
            <TimeChart
              {...{ ...common, ...countProps }}
              title={`${tabs[by]}, ${each}`}
              lines={lines.all}
              empty="No request"
            />
          )}
          <TimeChart
            {...{ ...common, ...(refused === 'count' ? countProps : shareProps) }}
            title={`${refusedTitle(by, refused)}, ${each}`}
            lines={lines.refused}
            empty="No refusal"
          />
          <UsageTable by={by} usage={usage} nameOf={nameOf} onOnly={only} />
        </Flex>
      </Card>
      <p className="note">
        Complete until {common.formatTime(steps.until)}. A minute is reported a few seconds after its end. The
        50 busiest of each kind are counted by name, and all others together.
      </p>
    </>
  );
}

function refusedTitle(by: UsageKind, refused: RefusedAs): string {
  if (by === 'code') return refused === 'count' ? tabs.code : 'Refusals by code, of all requests';
  const words = tabs[by].replace('By', 'by');
  return refused === 'count' ? `Refused ${words}` : `Share refused ${words}`;
}
