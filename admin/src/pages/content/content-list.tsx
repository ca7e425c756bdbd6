import { Button, NativeSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { type ContentPage, listContents } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { ContentStatus } from '../../api/resources.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterRow, SearchField } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { LiveBar } from '../../components/live-bar.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { OffsetPager } from '../../components/pager.tsx';
import { useApi } from '../../session/app-context.ts';
import { useLiveRows } from '../../state/use-live-rows.ts';
import { type Act, ActDialog } from './act-dialog.tsx';
import { contentColumns } from './content-columns.tsx';
import {
  type ChangeFilter,
  type ContentFilter,
  everyContent,
  isNarrowed,
  pageSize,
  statuses,
  toContentQuery,
  useContentFilter,
} from './content-filter.ts';
import { useManagement } from './use-management.ts';

/** Every content: found, registered, changed and taken off here. */
export function ContentList() {
  const api = useApi();
  const { mayManage } = useManagement();
  const [filter, setFilter] = useContentFilter();
  const [act, setAct] = useState<Act | null>(null);
  const asked = toContentQuery(filter);
  const table = useRef<HTMLDivElement>(null);
  const queryKey = queryKeys.contentPage(asked);
  const read = (signal?: AbortSignal) => listContents(api, asked, signal);
  const list = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    placeholderData: keepPreviousData,
  });
  const { stream, arrived } = useLiveRows({
    topic: 'content',
    queryKey,
    rowsOf: ({ items }: ContentPage) => items,
    withRows: (page, items) => ({ ...page, items: [...items] }),
    read,
    isFirst: filter.page === 1,
    isAllowed: mayManage,
  });
  const columns = useMemo(() => contentColumns(setAct), []);
  // What was shown before stays while the next is on its way, but an error is not hidden behind it.
  const page = list.isError ? undefined : list.data;
  return (
    <>
      <PageHead
        title="Content"
        lead="Videos that have a key of their own. Registering one is all that its key needs."
        actions={
          mayManage && (
            <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setAct({ kind: 'create' })}>
              Register a content
            </Button>
          )
        }
      />
      <FilterBar filter={filter} onChange={setFilter} />
      {mayManage && (
        <LiveBar stream={stream} arrived={arrived} noun="contents" onShow={() => list.refetch()} />
      )}
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
      />
      {page && (
        <OffsetPager
          table={table}
          page={filter.page}
          pageSize={pageSize}
          total={page.total}
          nouns={['content', 'contents']}
          onGo={(number) => setFilter((now) => ({ ...now, page: number }))}
        />
      )}
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </>
  );
}

/** What the table is narrowed to. Anything else begins at its first page. */
export function FilterBar({ filter, onChange }: { filter: ContentFilter; onChange: ChangeFilter }) {
  const search = useCallback((q: string) => onChange((now) => ({ ...now, q, page: 1 })), [onChange]);
  return (
    <FilterRow label="Filters">
      <SearchField label="Search name or id" value={filter.q} onSearch={search} />
      <NativeSelect
        aria-label="Status"
        value={filter.status ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange((now) => ({ ...now, status: (value || null) as ContentStatus | null, page: 1 }))
        }
        data={[
          { value: '', label: 'Any status' },
          ...statuses.map((value) => ({ value, label: `Only ${value}` })),
        ]}
      />
    </FilterRow>
  );
}

interface NoContentsProps {
  filter: ContentFilter;
  /** On all pages. */
  total: number;
  onChange: ChangeFilter;
}

/** Where no content is shown: the page is beyond the last, nothing matches, or there is none. */
function NoContents({ filter, total, onChange }: NoContentsProps) {
  if (total > 0)
    return (
      <EmptyState
        icon="search"
        title={`There is no page ${filter.page}`}
        action={
          <Button variant="default" onClick={() => onChange((now) => ({ ...now, page: 1 }))}>
            Go to the first page
          </Button>
        }
      />
    );
  if (isNarrowed(filter))
    return (
      <EmptyState
        icon="search"
        title="No content is like that"
        action={
          <Button variant="default" onClick={() => onChange(() => everyContent)}>
            Show every content
          </Button>
        }
      >
        The search looks for a part of the name or of the id, in any case.
      </EmptyState>
    );
  return (
    <EmptyState icon="film" title="No content yet">
      Register one, and it has a key: encrypt with it, and players fetch it. In the folder of Latchkey,{' '}
      <code>npx latchkey encrypt</code> registers by itself with <code>--register</code>.
    </EmptyState>
  );
}
