import { Box } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { viewerOrders } from '../../api/resources.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterToggle, SearchField, ToggleGroup } from '../../components/filters.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { createFilter, searchText, useFilter } from '../../state/use-address-filter.ts';
import { useListPage } from '../../state/use-list-page.ts';
import { viewerAddress } from './viewer-address.ts';
import { limitedViewerColumns, rangeOfOrder, type ViewerOrder, viewerColumns } from './viewer-columns.tsx';
import { ViewerDetail } from './viewer-detail.tsx';

/** The list of viewers, or one viewer. */
export default function ViewersPage() {
  const [params] = useSearchParams();
  const viewerId = params.get('viewer');
  return viewerId ? <ViewerDetail key={viewerId} viewerId={viewerId} /> : <ViewerList />;
}

const viewerFilter = createFilter({ q: searchText, sort: viewerOrders });

/** The orders that an abuse desk begins with. */
const quickOrders = [
  ['-refused', 'Most refused'],
  ['-devices', 'Most devices'],
  ['-revokedAt', 'Latest revoked'],
] as const satisfies readonly [ViewerOrder, string][];

/** Lists viewers by the beginning of their ID, or by what stands out. */
function ViewerList() {
  const isUnlimited = may(useCurrentApiKey(), 'whole-server');
  const { filter, change, field } = useFilter(viewerFilter);
  const prefix = filter.q;
  // A search is for an ID, among all viewers.
  const usual = prefix === '' && isUnlimited ? '-lastSeenAt' : 'viewerId';
  const sort = isUnlimited ? (filter.sort ?? usual) : usual;
  const pages = useCursorPages(JSON.stringify([prefix, sort]));
  const list = useListPage('/api/v1/viewers', 'viewers', {
    query: { prefix, sort, limit: pageSize, cursor: pages.cursor },
  });
  return (
    <ResourcePage
      title="Viewers"
      lead="The leases, devices, refusals and revocations of each viewer."
      filters={
        <>
          <SearchField label="Viewer ID begins with" {...field('q')} />
          {isUnlimited && (
            <ToggleGroup label="Order">
              {quickOrders.map(([order, name]) => (
                <FilterToggle
                  key={order}
                  isOn={sort === order}
                  onToggle={(isOn) => change({ sort: isOn ? order : null })}
                >
                  {name}
                </FilterToggle>
              ))}
            </ToggleGroup>
          )}
          <Box component="p" className="note" flex="1 1 100%">
            {rangeOfOrder[sort]}
          </Box>
        </>
      }
      label="Viewers"
      noun="viewer"
      {...{ list, pages }}
      columns={isUnlimited ? viewerColumns : limitedViewerColumns}
      rowId={({ viewerId }) => viewerId}
      // For an API key of some contents, the server sorts by the ID only.
      {...(isUnlimited && { sort: sortedBy(filter.sort, viewerOrders, (to) => change({ sort: to }), usual) })}
      empty={<NoViewers {...{ prefix, sort }} />}
    />
  );
}

function NoViewers({ prefix, sort }: { prefix: string; sort: ViewerOrder }) {
  if (prefix !== '')
    return (
      <EmptyState
        icon="search"
        title="No viewer found"
        action={
          <Link href={viewerAddress(prefix)}>
            Open the page of <OutsideText text={prefix} />
          </Link>
        }
      >
        Leases are removed a day after their end. The revocations and refusals of a viewer without leases are
        on its page.
      </EmptyState>
    );
  if (sort === '-served' || sort === '-refused' || sort === '-revokedAt' || sort === '-devices')
    return (
      <EmptyState icon="check" title="No such viewer">
        {rangeOfOrder[sort]}
      </EmptyState>
    );
  return (
    <EmptyState icon="people" title="No viewers yet">
      A viewer appears here with its first lease.
    </EmptyState>
  );
}
