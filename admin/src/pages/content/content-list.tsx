import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { type ContentPage, listContents } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { LiveBar } from '../../components/live-bar.tsx';
import { OffsetPager } from '../../components/offset-pager.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useApi } from '../../session/app-context.ts';
import { useLiveRows } from '../../state/use-live-rows.ts';
import type { Act } from './act.ts';
import { ActDialog } from './act-dialog.tsx';
import { contentColumns } from './content-columns.tsx';
import { pageSize, toContentQuery } from './content-filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { NoContents } from './no-contents.tsx';
import { useContentFilter } from './use-content-filter.ts';
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
