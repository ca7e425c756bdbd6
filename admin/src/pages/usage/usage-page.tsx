import { Box, Button, Flex } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { type UsageKind, usageKinds, usageRequests } from '../../api/resources.ts';
import type { Usage } from '../../api/schema.ts';
import { Card } from '../../components/card.tsx';
import { Choice } from '../../components/filters.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { TimePicker } from '../../components/time-picker.tsx';
import { useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { fit, spanOf } from '../../state/time-range.ts';
import { type ChangeFilter, useAddressFilter } from '../../state/use-address-filter.ts';
import { formatStep, type Shared, TotalCharts, UsageChart, UsageFrame } from './usage-charts.tsx';
import { allOf, refusedOf, shareOf, shareOfAll, stepsOf, toLines } from './usage-lines.ts';
import { UsageTable } from './usage-table.tsx';
import { grafanaAddress, refusedForms, type UsageView, usageForm } from './usage-view.ts';
import { useSeriesNames } from './use-series-names.ts';
import { useUsage } from './use-usage.ts';

/** How many requests were served and refused over time, and whose. */
export default function UsagePage() {
  const [addressed, change] = useAddressFilter(usageForm);
  // A key of some contents gets no other counts.
  const kinds = may(useCurrentApiKey(), 'whole-server') ? usageKinds : limitedKinds;
  const view = kinds.includes(addressed.by) ? addressed : { ...addressed, by: 'content' as const };
  const [cursorAt, setCursorAt] = useState<number | null>(null);
  const { clock } = useApp();
  const read = useUsage(view, { requests: view.requests, by: view.by, id: view.id });
  const grafanaUrl = read.usage?.grafanaUrl;
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
      <UsageFrame {...{ read, view }}>
        {(usage, changes) => (
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
  const { id } = view;
  const isShare = view.refused === 'share';
  const nameOf = useSeriesNames(usage);
  const lines = useMemo(() => {
    const share = by === 'code' ? shareOfAll : shareOf;
    return {
      all: toLines(usage, allOf, nameOf),
      refused: toLines(usage, isShare ? share : refusedOf, nameOf),
    };
  }, [usage, nameOf, by, isShare]);
  const only = useCallback((series: string) => change({ id: series }), [change]);
  const steps = stepsOf(usage);
  return (
    <>
      <h2 className="visually-hidden">All requests</h2>
      <Card>
        <TotalCharts {...{ ...shared, usage, isShare }} totals={usage.totals} />
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
            <UsageChart {...{ ...shared, usage }} title={tabs[by]} lines={lines.all} empty="No request" />
          )}
          <UsageChart
            {...{ ...shared, usage, isShare }}
            title={refusedTitle(by, isShare)}
            lines={lines.refused}
            empty="No refusal"
          />
          <UsageTable by={by} usage={usage} nameOf={nameOf} onOnly={only} />
        </Flex>
      </Card>
      <p className="note">
        Complete until {formatStep(steps.until, steps)}. A minute is reported a few seconds after its end. The
        50 busiest of each kind are counted by name, and all others together.
      </p>
    </>
  );
}

function refusedTitle(by: UsageKind, isShare: boolean): string {
  if (by === 'code') return isShare ? 'Refusals by code, of all requests' : tabs.code;
  return `${isShare ? 'Share refused' : 'Refused'} ${tabs[by].replace('By', 'by')}`;
}
