import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Usage } from '../../api/schema.ts';
import type { Column } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterToggle, ToggleGroup } from '../../components/filters.tsx';
import { formatCount, formatShare } from '../../components/format-numbers.ts';
import { formatClock } from '../../components/format-time.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { ResourceList } from '../../components/resource-page.tsx';
import { Section } from '../../components/section.tsx';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { type Range, rangeLengths, ranges, spanOf } from '../../state/time-range.ts';
import { useSteadyError } from '../../state/use-steady-error.ts';
import { viewerAddress } from '../viewers/viewer-address.ts';
import { groupings } from './refusal-filter.ts';

type Grouping = (typeof groupings)[number];

interface RefusalGroupsProps {
  by: Grouping;
  range: Range;
  change: (view: { by?: Grouping; range?: Range }) => void;
  /** Shows the rows of a group. Undefined if there are none to show. */
  onRows: ((by: Grouping, id: string) => void) | undefined;
}

/** How many requests were refused over a time, and what they have in common. */
export function RefusalGroups({ by: asked, range, change, onRows }: RefusalGroupsProps) {
  // A key of some contents gets no other counts.
  const kinds = may(useCurrentApiKey(), 'whole-server') ? groupings : limitedGroupings;
  const by = kinds.includes(asked) ? asked : 'content';
  const { usage, error, reload } = useRefusedUsage(by, range);
  const rows = useMemo(() => usage && toGroups(usage), [usage]);
  // While another answer is read, the previous answer stays.
  const shown = usage ? (usage.by as Grouping) : by;
  const columns = useMemo(() => columnsOf(shown, onRows), [shown, onRows]);
  return (
    <Section title="Refused requests">
      <ResourceList
        filters={
          <>
            <ToggleGroup label="Grouped by">
              {kinds.map((kind) => (
                <FilterToggle key={kind} isOn={by === kind} onToggle={() => change({ by: kind })}>
                  By {kind}
                </FilterToggle>
              ))}
            </ToggleGroup>
            <ToggleGroup label="Time">
              {ranges.map((each) => (
                <FilterToggle key={each} isOn={range === each} onToggle={() => change({ range: each })}>
                  {rangeLengths[each].label}
                </FilterToggle>
              ))}
            </ToggleGroup>
          </>
        }
        noun="group"
        label={`Refused requests by ${shown}`}
        columns={columns}
        list={{ rows, error, reload }}
        rowId={({ id }) => id ?? ''}
        empty={
          usage?.unavailable ? (
            <EmptyState icon="bars" title="Refusals are not counted">
              USAGE_KEEP_DAYS=0 turns it off on this server.
            </EmptyState>
          ) : (
            <EmptyState icon="check" title="Nothing was refused">
              A minute is counted a few seconds after its end.
            </EmptyState>
          )
        }
      />
      {usage && !usage.unavailable && (
        <p className="note">
          Requests for keys and leases, complete until {formatClock(Date.parse(usage.completeUntil))}. A
          refusal by the gateway itself, such as RATE_LIMITED, is not counted.
        </p>
      )}
    </Section>
  );
}

const limitedGroupings: readonly Grouping[] = ['content'];

/** Each minute is reported once. */
const pollMs = 60_000;
/** As many as the server gives. */
const mostGroups = 20;

function useRefusedUsage(by: Grouping, range: Range) {
  const api = useApi();
  const { clock } = useApp();
  const query = useQuery({
    queryKey: ['usage', 'refused', by, range],
    queryFn: ({ signal }) => {
      const { from, to } = spanOf({ range, zoomed: null }, clock.now());
      const ends = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const query = { requests: 'all', sort: 'refused', by, limit: mostGroups, ...ends } as const;
      return api.call('get', '/api/v1/usage', { params: { query }, signal });
    },
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
  const { data, refetch } = query;
  const error = useSteadyError(query);
  return { usage: error ? undefined : data?.usage, error, reload: () => void refetch() };
}

interface Group {
  /** Null for all that is in no other group. */
  id: string | null;
  refused: number;
  /** Of all refusals: 0 to 1. */
  share: number;
  /** Of the requests of the group: 0 to 1. Null for a code, whose requests are all refused. */
  ownShare: number | null;
}

function toGroups({ by, totals, series }: Usage): Group[] {
  const shareOf = (refused: number) => refused / Math.max(1, totals.refused);
  const groups = series.map(({ id, served, refused }) => ({
    ...{ id, refused, share: shareOf(refused) },
    ownShare: by === 'code' ? null : refused / Math.max(1, served + refused),
  }));
  // A request without an accepted credential has no viewer, and one for a lease may name no content.
  const rest = totals.refused - groups.reduce((sum, { refused }) => sum + refused, 0);
  return rest > 0 ? [...groups, { id: null, refused: rest, share: shareOf(rest), ownShare: null }] : groups;
}

const nouns: Record<Grouping, string> = { code: 'Code', viewer: 'Viewer', content: 'Content' };

function columnsOf(by: Grouping, onRows: RefusalGroupsProps['onRows']): Column<Group>[] {
  const number = (header: string, cell: (group: Group) => string): Column<Group> => ({
    ...{ header, cell, width: '8rem' },
  });
  return [
    {
      header: nouns[by],
      cell: ({ id }) => (id === null ? 'All others, and not known' : <GroupName by={by} id={id} />),
    },
    number('Refused', ({ refused }) => formatCount(refused)),
    number('Share', ({ share }) => formatShare(share)),
    ...(by === 'code'
      ? []
      : [number('Of its requests', ({ ownShare }) => (ownShare === null ? '–' : formatShare(ownShare)))]),
    ...(onRows
      ? [
          {
            header: 'Rows',
            isHeaderHidden: true,
            width: '6.5rem',
            cell: ({ id }: Group) =>
              id !== null && (
                <Button variant="default" size="compact-sm" onClick={() => onRows(by, id)}>
                  Rows<span className="visually-hidden"> of {id}</span>
                </Button>
              ),
          },
        ]
      : []),
  ];
}

function GroupName({ by, id }: { by: Grouping; id: string }) {
  if (by === 'code') return <code>{id}</code>;
  const address = by === 'viewer' ? viewerAddress(id) : `/content/${id}`;
  return (
    <Link href={address}>
      <OutsideText text={id} />
    </Link>
  );
}
