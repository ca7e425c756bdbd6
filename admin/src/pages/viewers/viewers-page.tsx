import { Link, useSearchParams } from 'wouter';
import type { Column } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchField } from '../../components/filters.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { anyText, createFilter, useFilter } from '../../state/use-address-filter.ts';
import { useListPage } from '../../state/use-list-page.ts';
import { viewerAddress } from './viewer-address.ts';
import { ViewerDetail } from './viewer-detail.tsx';

/** The search for viewers, or one viewer. */
export default function ViewersPage() {
  const [params] = useSearchParams();
  const viewerId = params.get('viewer');
  return viewerId ? <ViewerDetail key={viewerId} viewerId={viewerId} /> : <ViewerList />;
}

const columns: Column<{ viewerId: string }>[] = [
  {
    header: 'Viewer',
    cell: ({ viewerId }) => (
      <Link href={viewerAddress(viewerId)}>
        <OutsideText text={viewerId} />
      </Link>
    ),
  },
];

const viewerFilter = createFilter({ q: anyText });

/** Finds viewers by the beginning of their ID. */
function ViewerList() {
  const { filter, field } = useFilter(viewerFilter);
  const prefix = filter.q.trim();
  const pages = useCursorPages(prefix);
  const list = useListPage('/api/v1/viewers', 'viewers', {
    query: { prefix, limit: pageSize, cursor: pages.cursor },
  });
  return (
    <ResourcePage
      title="Viewers"
      lead="The leases, sessions, devices, refusals and revocations of each viewer."
      filters={<SearchField label="Viewer ID begins with" {...field('q')} />}
      label="Viewers"
      noun="viewer"
      {...{ list, pages, columns }}
      rowId={({ viewerId }) => viewerId}
      empty={<NoViewers prefix={prefix} />}
    />
  );
}

function NoViewers({ prefix }: { prefix: string }) {
  if (prefix === '')
    return (
      <EmptyState icon="people" title="No viewers yet">
        A viewer appears here with its first lease.
      </EmptyState>
    );
  return (
    <EmptyState
      icon="search"
      title="No viewer with a lease"
      action={
        <Link href={viewerAddress(prefix)}>
          Open the page of <OutsideText text={prefix} />
        </Link>
      }
    >
      Leases are removed a day after their end. The marks and refusals of a viewer without leases are on its
      page.
    </EmptyState>
  );
}
