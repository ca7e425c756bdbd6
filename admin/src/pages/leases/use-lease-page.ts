import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { reading } from '../../api/api.ts';
import type { Lease } from '../../api/schema.ts';
import type { ListPage } from '../../components/resource-page.tsx';
import { useApp } from '../../session/app-context.ts';
import { useEagerQuery } from '../../state/use-eager-query.ts';
import type { LeaseQuery } from './lease-filter.ts';
import { applyNews, catchUp, findArrivals, type LeasePage, useLeaseNews } from './lease-news.ts';

export interface LivePage extends ListPage<Lease> {
  /** Whether the rows match the current filter, not the previous one. */
  isListed: boolean;
}

/** Fast enough to feel live, slow enough to follow. */
const newsMs = 300;
/** Nothing is counted: with a million leases, that takes longer than the page. */
export const uncounted = { header: { prefer: 'return=minimal' } };
const noIds: readonly string[] = [];

/**
 * One page of leases, updated live: rows change in place. New rows are counted and not inserted, so that nothing moves under the
 * pointer. An empty page shows them at once.
 */
export function useLeasePage(query: LeaseQuery, cursor: string | null): LivePage {
  const { api, clock } = useApp();
  const queries = useQueryClient();
  const params = { query: { ...query, cursor }, ...uncounted };
  const options = reading(api, '/api/v1/leases', params);
  const { queryKey } = options;
  const list = useEagerQuery({
    ...options,
    placeholderData: keepPreviousData,
    // Only the admin refreshes the list: shown rows stay where they are.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  const key = JSON.stringify(queryKey);
  // The IDs of leases that are new since the list was read.
  const [found, setFound] = useState({ key, ids: noIds });
  const arrivals = found.key === key ? found.ids : noIds;
  const rows = list.isError ? undefined : list.data?.leases;
  const show = (before: readonly Lease[], after: readonly Lease[], ids: readonly string[]) => {
    if (before.length === 0 && ids.length > 0) return void list.refetch();
    if (after !== before)
      queries.setQueryData<LeasePage>(queryKey, (page) => page && { ...page, leases: [...after] });
    if (ids.length > 0) setFound((now) => ({ key, ids: [...(now.key === key ? now.ids : noIds), ...ids] }));
  };

  const isListed = rows !== undefined && !list.isPlaceholderData;
  // A list that is still being read may be older than the changes. One that failed is read again as a whole.
  useLeaseNews(newsMs, isListed || list.isError, (news) => {
    if (!rows) return;
    show(rows, applyNews(rows, news, clock.now()), findArrivals(news, query));
    if (!news.some(({ kind }) => kind === 'missed')) return;
    api.call('get', '/api/v1/leases', { params }).then(
      (fresh) => {
        const caught = catchUp(rows, fresh, clock.now(), query.sort === undefined);
        show(rows, caught.rows, caught.arrivals);
      },
      // The list is read again as soon as the server answers.
      () => {},
    );
  });

  const shown = new Set(rows?.map(({ id }) => id));
  return {
    rows,
    nextCursor: list.data?.next_cursor ?? null,
    error: list.error,
    isListed,
    isUpdating: list.isPlaceholderData || list.isRefetching,
    arrived: new Set(arrivals.filter((id) => !shown.has(id))).size,
    reload: () => {
      setFound({ key, ids: noIds });
      void list.refetch();
    },
  };
}
