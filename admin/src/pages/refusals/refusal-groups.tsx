import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { Usage } from '../../api/schema.ts';
import type { Column } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Choice } from '../../components/filters.tsx';
import { formatCount, formatShare } from '../../components/format-numbers.ts';
import { formatClock } from '../../components/format-time.ts';
import { ResourceList } from '../../components/resource-page.tsx';
import { Section } from '../../components/section.tsx';
import { useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { rangeLengths, ranges } from '../../state/time-range.ts';
import { useFilter } from '../../state/use-address-filter.ts';
import { nouns, numberColumn, SeriesName } from '../usage/usage-table.tsx';
import { useUsage } from '../usage/use-usage.ts';
import { groupings, refusalFilter } from './refusal-filter.ts';

type Grouping = (typeof groupings)[number];

interface RefusalGroupsProps {
  /** Shows the rows of a group. Undefined if there are none to show. */
  onRows: ((by: Grouping, id: string) => void) | undefined;
}

/** How many requests were refused over a time, and what they have in common. */
export function RefusalGroups({ onRows }: RefusalGroupsProps) {
  const { filter, field } = useFilter(refusalFilter);
  // A key of some contents gets no other counts.
  const kinds = may(useCurrentApiKey(), 'whole-server') ? groupings : limitedGroupings;
  const asked = filter.by ?? 'code';
  const by = kinds.includes(asked) ? asked : 'content';
  const range = filter.range ?? '1h';
  const counts = { requests: 'all', sort: 'refused', by, limit: mostGroups } as const;
  const { usage, error, reload } = useUsage({ range, zoomed: null }, counts);
  const rows = useMemo(() => usage && toGroups(usage), [usage]);
  // While another answer is read, the previous answer stays.
  const shown = usage ? (usage.by as Grouping) : by;
  const refused = usage?.totals.refused ?? 0;
  const columns = useMemo(() => columnsOf(shown, refused, onRows), [shown, refused, onRows]);
  return (
    <Section title="Refused requests">
      <ResourceList
        filters={
          <>
            <Choice
              label="Grouped by"
              of={kinds}
              nameOf={(kind) => `By ${kind}`}
              value={by}
              onChoose={field('by').onChange}
            />
            <Choice
              label="Time"
              of={ranges}
              nameOf={(each) => rangeLengths[each].label}
              value={range}
              onChoose={field('range').onChange}
            />
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

/** As many as the server gives. */
const mostGroups = 20;

/** One of the series, or all that is in none of them. */
interface Group {
  id: string | null;
  refused: number;
  /** Null if it is not known. */
  served: number | null;
}

function toGroups({ totals, series }: Usage): readonly Group[] {
  // A request without an accepted credential has no viewer, and one for a lease may name no content.
  const refused = series.reduce((rest, one) => rest - one.refused, totals.refused);
  return refused > 0 ? [...series, { id: null, refused, served: null }] : series;
}

function columnsOf(by: Grouping, allRefused: number, onRows: RefusalGroupsProps['onRows']): Column<Group>[] {
  const shareOf = (refused: number, all: number) => formatShare(refused / Math.max(1, all));
  const columns: Column<Group>[] = [
    {
      header: nouns[by],
      cell: ({ id }) =>
        id === null ? 'All others, and not known' : <SeriesName by={by} id={id} name={id} />,
    },
    numberColumn('Refused', ({ refused }) => formatCount(refused)),
    numberColumn('Share', ({ refused }) => shareOf(refused, allRefused)),
  ];
  // All requests of a code are refused.
  if (by !== 'code')
    columns.push(
      numberColumn('Of its requests', ({ refused, served }) =>
        served === null ? '–' : shareOf(refused, served + refused),
      ),
    );
  if (onRows)
    columns.push({
      header: 'Rows',
      isHeaderHidden: true,
      width: '6.5rem',
      cell: ({ id }) =>
        id !== null && (
          <Button variant="default" size="compact-sm" onClick={() => onRows(by, id)}>
            Rows<span className="visually-hidden"> of {id}</span>
          </Button>
        ),
    });
  return columns;
}
