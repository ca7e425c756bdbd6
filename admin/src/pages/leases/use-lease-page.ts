import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { StreamState } from '../../api/events.ts';
import { type LeasePage, type LeaseQuery, type LeaseSelector, listLeases } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Lease } from '../../api/resources.ts';
import { useApp } from '../../session/app-context.ts';
import { applyNews, catchUp, findArrivals, useLeaseNews } from './lease-news.ts';

interface LivePage {
  /** Undefined until the first answer, and while there is an error. */
  rows: readonly Lease[] | undefined;
  nextCursor: string | null;
  error: unknown;
  /** Whether the rows are of what was asked for, and not of before. */
  isListed: boolean;
  isUpdating: boolean;
  stream: StreamState;
  /** How many leases belong on the list since it was read, and are not on it. */
  arrived: number;
  /** Reads the list anew. */
  reload: () => void;
}

/** Soon enough to be called live, and slow enough for the eye. */
const newsMs = 300;
const noIds: ReadonlySet<string> = new Set();

/**
 * One page of leases that follows the server in place: rows change where they stand, and new ones are counted rather than
 * put under the pointer. An empty page takes them in at once.
 */
export function useLeasePage(asked: LeaseQuery, cursor: string | null): LivePage {
  const { api, clock } = useApp();
  const queries = useQueryClient();
  const queryKey = queryKeys.leasePage(asked, cursor);
  const read = (signal?: AbortSignal) => listLeases(api, { ...asked, cursor: cursor ?? undefined }, signal);
  const list = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const page = await read(signal);
      queries.setQueryData(queryKeys.leaseCount(selectorOf(asked)), page.total_active);
      return page;
    },
    placeholderData: keepPreviousData,
    // Only the reader has it read anew: what is looked at stays where it is.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  const [arrivals, setArrivals] = useArrivals(queryKey);
  const rows = list.isError ? undefined : list.data?.leases;
  const show = (before: readonly Lease[], after: readonly Lease[], ids: readonly string[]) => {
    if (before.length === 0 && ids.length > 0) return void list.refetch();
    if (after !== before)
      queries.setQueryData<LeasePage>(queryKey, (page) => page && { ...page, leases: [...after] });
    if (ids.length > 0) setArrivals(ids);
  };

  const stream = useLeaseNews(newsMs, (news) => {
    if (list.isError) return true;
    // The list that is on its way may be of before.
    if (!rows || list.isPlaceholderData) return false;
    show(rows, applyNews(rows, news, clock.now()), findArrivals(news, asked));
    if (!news.some(({ kind }) => kind === 'missed')) return true;
    read().then(
      (fresh) => {
        const caught = catchUp(rows, fresh, clock.now());
        show(rows, caught.rows, caught.arrivals);
      },
      // The whole list is read anew as soon as the server answers.
      () => {},
    );
    return true;
  });

  const shown = new Set(rows?.map(({ id }) => id));
  return {
    rows,
    nextCursor: list.data?.next_cursor ?? null,
    error: list.error,
    isListed: rows !== undefined && !list.isPlaceholderData,
    isUpdating: list.isPlaceholderData || list.isRefetching,
    stream,
    arrived: [...arrivals].filter((id) => !shown.has(id)).length,
    reload: () => {
      setArrivals(null);
      void list.refetch();
    },
  };
}

function selectorOf({ viewerId, contentId }: LeaseQuery): LeaseSelector {
  return { viewerId, contentId };
}

/** The ids that have come since the list was read. They are of one list: another begins with none. @returns null empties it */
function useArrivals(queryKey: QueryKey): [ReadonlySet<string>, (ids: readonly string[] | null) => void] {
  const list = JSON.stringify(queryKey);
  const [arrivals, setArrivals] = useState({ list, ids: noIds });
  const ids = arrivals.list === list ? arrivals.ids : noIds;
  const add = (more: readonly string[] | null) =>
    setArrivals((now) => ({
      list,
      ids: more === null ? noIds : new Set([...(now.list === list ? now.ids : []), ...more]),
    }));
  return [ids, add];
}
