import { keepPreviousData } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import { reading } from '../../api/api.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterRow, SearchField } from '../../components/filters.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApi } from '../../session/app-context.ts';
import { useEagerQuery } from '../../state/use-eager-query.ts';
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
    id: 'viewer',
    header: 'Viewer',
    cell: ({ viewerId }) => (
      <Link href={viewerAddress(viewerId)}>
        <OutsideText text={viewerId} />
      </Link>
    ),
  },
];

/** Finds viewers by the beginning of their ID. */
function ViewerList() {
  const api = useApi();
  const [params, setParams] = useSearchParams();
  const prefix = params.get('q') ?? '';
  const table = useRef<HTMLDivElement>(null);
  const query = { prefix: prefix.trim(), limit: pageSize };
  const pages = useCursorPages(JSON.stringify(query));
  const list = useEagerQuery({
    ...reading(api, '/api/v1/viewers', { query: { ...query, cursor: pages.cursor } }),
    placeholderData: keepPreviousData,
  });
  const search = useCallback(
    (q: string) => setParams(() => new URLSearchParams(q === '' ? {} : { q }), { replace: true }),
    [setParams],
  );
  const page = list.isError ? undefined : list.data;
  return (
    <>
      <PageHead
        title="Viewers"
        lead="The leases, sessions, devices, refusals and revocations of each viewer."
      />
      <FilterRow>
        <SearchField label="Viewer ID begins with" value={prefix} onSearch={search} />
      </FilterRow>
      <DataTable
        frame={table}
        label="Viewers"
        columns={columns}
        rows={page?.viewers}
        rowId={({ viewerId }) => viewerId}
        empty={<NoViewers prefix={prefix.trim()} />}
        error={list.error}
        onRetry={() => list.refetch()}
        isUpdating={list.isPlaceholderData}
      />
      {page && (
        <Pager
          pages={pages}
          table={table}
          nextCursor={page.next_cursor}
          summary={countOf(page.viewers.length, 'viewer')}
        />
      )}
    </>
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
