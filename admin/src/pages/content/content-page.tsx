import { Button } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import { Route, Switch } from 'wouter';
import { type Answer, reading } from '../../api/api.ts';
import { contentOrders, contentStatuses } from '../../api/resources.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterRow, FilterSelect, SearchField } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { LiveBar } from '../../components/live-bar.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { OffsetPager } from '../../components/pager.tsx';
import { pageSize } from '../../components/use-cursor-pages.ts';
import { useApi } from '../../session/app-context.ts';
import type { ChangeFilter } from '../../state/use-address-filter.ts';
import { useEagerQuery } from '../../state/use-eager-query.ts';
import { useLiveRows } from '../../state/use-live-rows.ts';
import { contentColumns } from './content-columns.tsx';
import { ContentDetail } from './content-detail.tsx';
import { CurrentDialog, type OpenDialog } from './content-dialogs.tsx';
import {
  type ContentFilter,
  everyContent,
  isNarrowed,
  toContentQuery,
  useContentFilter,
} from './content-filter.ts';
import { useManagement } from './use-management.ts';

/** The list of content, or one content. */
export default function ContentPage() {
  return (
    <Switch>
      <Route path="/content/:id">{({ id }) => <ContentDetail key={id} id={id} />}</Route>
      <Route>
        <ContentList />
      </Route>
    </Switch>
  );
}

/** Lists all content: search, register, edit and disable. */
function ContentList() {
  const api = useApi();
  const { mayManage } = useManagement();
  const [filter, setFilter] = useContentFilter();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const query = toContentQuery(filter);
  const table = useRef<HTMLDivElement>(null);
  const options = reading(api, '/api/v1/content', { query });
  const list = useEagerQuery({ ...options, placeholderData: keepPreviousData });
  const arrived = useLiveRows({
    topic: 'content',
    queryKey: options.queryKey,
    rowsOf: ({ items }: Answer<'get', '/api/v1/content'>) => items,
    withRows: (page, items) => ({ ...page, items: [...items] }),
    read: () => api.call('get', '/api/v1/content', { params: { query } }),
    isFirst: filter.page === 1 && filter.sort === null,
  });
  const columns = useMemo(() => contentColumns(setDialog), []);
  const register = (
    <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setDialog({ kind: 'create' })}>
      Register a content
    </Button>
  );
  // The old rows stay while the next page is being read, but they do not hide an error.
  const page = list.isError ? undefined : list.data;
  return (
    <>
      <PageHead
        title="Content"
        lead="Videos, each with its own keys. A registered content needs no further setup."
        actions={mayManage && register}
      />
      <FilterBar filter={filter} onChange={setFilter} />
      {mayManage && <LiveBar arrived={arrived} noun="contents" onShow={() => list.refetch()} />}
      <DataTable
        frame={table}
        label="Contents"
        columns={columns}
        rows={page?.items}
        rowId={({ id }) => id}
        empty={<NoContents filter={filter} total={page?.total ?? 0} onChange={setFilter} />}
        error={list.error}
        onRetry={() => list.refetch()}
        isUpdating={list.isPlaceholderData}
        sort={sortedBy(filter.sort, contentOrders, (sort) => setFilter({ sort, page: 1 }))}
      />
      {page && (
        <OffsetPager
          table={table}
          page={filter.page}
          pageSize={pageSize}
          total={page.total}
          noun="content"
          onGo={(number) => setFilter({ page: number })}
        />
      )}
      {dialog && <CurrentDialog dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

interface FilterProps {
  filter: ContentFilter;
  onChange: ChangeFilter<ContentFilter>;
}

/** The filters of the table. A new filter starts at the first page. */
const FilterBar = memo(function FilterBar({ filter, onChange }: FilterProps) {
  const search = useCallback((q: string) => onChange({ q, page: 1 }), [onChange]);
  return (
    <FilterRow>
      <SearchField label="Search name or ID" value={filter.q} onSearch={search} names="content" />
      <FilterSelect
        label="Status"
        values={contentStatuses}
        value={filter.status}
        onChange={(status) => onChange({ status, page: 1 })}
      />
    </FilterRow>
  );
});

/** Shown without rows: the page is beyond the last, the filter matches nothing, or there is no content. */
function NoContents({ filter, total, onChange }: FilterProps & { total: number }) {
  if (total > 0)
    return (
      <EmptyState
        icon="search"
        title={`There is no page ${filter.page}`}
        action={
          <Button variant="default" onClick={() => onChange({ page: 1 })}>
            Go to the first page
          </Button>
        }
      />
    );
  if (isNarrowed(filter))
    return (
      <NoMatches title="No matching content" onReset={() => onChange(everyContent)}>
        The search finds any part of the name or ID, in upper or lower case.
      </NoMatches>
    );
  return (
    <EmptyState icon="film" title="No content yet">
      Register a content to get its key. In the Latchkey folder, <code>npx latchkey encrypt</code> with{' '}
      <code>--register</code> registers it for you.
    </EmptyState>
  );
}
