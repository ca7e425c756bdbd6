import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useRoute } from 'wouter';
import { contentOrders, contentStatuses } from '../../api/resources.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterSelect, SearchField } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { pageSize } from '../../components/use-cursor-pages.ts';
import { useFilter } from '../../state/use-address-filter.ts';
import { useLiveListPage } from '../../state/use-list-page.ts';
import { contentColumns } from './content-columns.tsx';
import { ContentDetail } from './content-detail.tsx';
import { CurrentDialog, type OpenDialog } from './content-dialogs.tsx';
import { contentFilter } from './content-filter.ts';
import { useManagement } from './use-management.ts';

/** The list of content, or one content. */
export default function ContentPage() {
  const [, one] = useRoute('/content/:id');
  return one ? <ContentDetail key={one.id} id={one.id} /> : <ContentList />;
}

/** Lists all content: search, register, edit and disable. */
function ContentList() {
  const { mayManage } = useManagement();
  const { filter, change, field, isNarrowed, reset } = useFilter(contentFilter);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const { page: number, ...rest } = filter;
  const page = Number(number || 1);
  const list = useLiveListPage(
    '/api/v1/content',
    'items',
    { query: { ...rest, limit: pageSize, offset: (page - 1) * pageSize } },
    'content',
  );
  const columns = useMemo(() => contentColumns(setDialog), []);
  return (
    <ResourcePage
      title="Content"
      lead="Videos, each with its own keys. A registered content needs no further setup."
      actions={
        mayManage && (
          <Button
            leftSection={<Icon name="plus" size={18} />}
            onClick={() => setDialog({ kind: 'form', content: null })}
          >
            Register a content
          </Button>
        )
      }
      filters={
        <>
          <SearchField label="Search name or ID" {...field('q')} names="content" />
          <FilterSelect label="Status" values={contentStatuses} {...field('status')} />
        </>
      }
      label="Contents"
      noun="content"
      list={mayManage ? list : { ...list, arrived: undefined }}
      columns={columns}
      numbered={{ page, pageSize, onGo: (to) => change({ page: to === 1 ? '' : String(to) }) }}
      sort={sortedBy(filter.sort, contentOrders, (sort) => change({ sort }))}
      empty={
        list.total ? (
          <EmptyState
            icon="search"
            title={`There is no page ${page}`}
            action={
              <Button variant="default" onClick={() => change({ page: '' })}>
                Go to the first page
              </Button>
            }
          />
        ) : isNarrowed ? (
          <NoMatches title="No matching content" onReset={reset}>
            The search finds any part of the name or ID, in upper or lower case.
          </NoMatches>
        ) : (
          <EmptyState icon="film" title="No content yet">
            Register a content to get its key. In the Latchkey folder, <code>npx latchkey encrypt</code> with{' '}
            <code>--register</code> registers it for you.
          </EmptyState>
        )
      }
    >
      {dialog && <CurrentDialog dialog={dialog} onClose={() => setDialog(null)} />}
    </ResourcePage>
  );
}
