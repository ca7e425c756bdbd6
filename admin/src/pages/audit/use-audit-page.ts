import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answer, reading } from '../../api/api.ts';
import type { AuditRecord } from '../../api/schema.ts';
import type { ListPage } from '../../components/resource-page.tsx';
import { pageSize } from '../../components/use-cursor-pages.ts';
import { useApi } from '../../session/app-context.ts';
import { useEagerQuery } from '../../state/use-eager-query.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import type { AuditQuery, AuditView } from './audit-filter.ts';

/** Refusals send no event, so they are polled. */
const newsPollMs = 15_000;
/** The shown page does not change by itself, and is read again next time. */
const asItWas = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, gcTime: 0 } as const;

/** One page of the audit, with the number of newer records if it is newest first. The server filters both. */
export function useAuditPage(
  filter: AuditQuery,
  sort: AuditView['sort'],
  cursor: string | null,
): ListPage<AuditRecord> & { showNew: () => void } {
  const api = useApi();
  const queries = useQueryClient();
  const read = (at: string | null) => ({
    ...reading(api, '/api/v1/audit', { query: { ...filter, sort, limit: pageSize, cursor: at } }),
    ...asItWas,
  });
  // The first page is always kept: new records are counted against it.
  const first = useEagerQuery({ ...read(null), placeholderData: keepPreviousData });
  const page = useEagerQuery({ ...read(cursor), placeholderData: keepPreviousData });
  const listed = first.isPlaceholderData ? undefined : first.data;
  const news = useQuery({
    ...read(null),
    queryKey: ['audit', 'news', filter, sort],
    initialData: () => listed,
    enabled: listed !== undefined,
    refetchInterval: newsPollMs,
  });
  useLiveRefresh(
    () => void news.refetch({ cancelRefetch: false }),
    ({ topic }) => topic === 'audit' || topic === 'missed',
  );
  const known = listed?.audit ?? [];
  const found = news.data?.audit ?? [];
  // An empty page shows new records at once: nothing can move.
  const shown = cursor === null && known.length === 0 && found.length > 0 ? news.data : page.data;
  const newer = sort === null ? countNewer(found, known) : 0;
  return {
    rows: page.isError ? undefined : shown?.audit,
    nextCursor: shown?.next_cursor ?? null,
    total: shown?.total,
    error: page.error,
    isUpdating: page.isPlaceholderData,
    arrived: newer < pageSize ? newer : `${pageSize} or more`,
    showNew: () => {
      if (news.data) queries.setQueryData<Answer<'get', '/api/v1/audit'>>(read(null).queryKey, news.data);
    },
    reload: () => void page.refetch(),
  };
}

/** Counts the found records that are newer than all known records; 0 without known records. Both lists are newest first. */
export function countNewer(found: readonly AuditRecord[], known: readonly AuditRecord[]): number {
  const [newest] = known;
  return newest ? found.filter(({ id }) => Number(id) > Number(newest.id)).length : 0;
}
