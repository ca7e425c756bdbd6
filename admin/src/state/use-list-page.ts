import { keepPreviousData, type UseQueryOptions, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, type ParamsOf, type PathOf, reading } from '../api/api.ts';
import type { ListPage } from '../components/resource-page.tsx';
import { useApi } from '../session/app-context.ts';
import { useEagerQuery } from './use-eager-query.ts';
import { useEvents, useLiveRefresh } from './use-events.ts';
import { useSteadyError } from './use-steady-error.ts';

/** A row of the list that is a member of an answer, such as `api_keys`. */
type RowOf<Path extends PathOf<'get'>, Member extends keyof Answer<'get', Path>> = Answer<
  'get',
  Path
>[Member] extends readonly (infer Row)[]
  ? Row
  : never;

type Page = Record<string, unknown> & { next_cursor?: string | null; total?: number | null };

/**
 * One page of a list of the server. The old rows stay while another page is being read, but they do not hide an error.
 *
 * @param member the member of the answer that has the rows
 */
export function useListPage<Path extends PathOf<'get'>, Member extends keyof Answer<'get', Path> & string>(
  path: Path,
  member: Member,
  params: ParamsOf<Path>,
  options: { refetchInterval?: number } = {},
): ListPage<RowOf<Path, Member>> {
  const read = reading(useApi(), path, params) as unknown as UseQueryOptions<Page>;
  const list = useEagerQuery<Page>({ ...read, placeholderData: keepPreviousData, ...options });
  const error = useSteadyError(list);
  const page = error ? undefined : list.data;
  return {
    rows: page?.[member] as readonly RowOf<Path, Member>[] | undefined,
    nextCursor: page?.next_cursor ?? null,
    total: page?.total,
    error,
    isUpdating: list.isPlaceholderData,
    reload: () => void list.refetch(),
  };
}

/**
 * As `useListPage`, kept up to date: rows change in place. New rows are counted and not inserted, so that nothing moves under the
 * pointer. An empty page shows them at once.
 *
 * @param topic of the events about these rows
 */
export function useLiveListPage<
  Path extends PathOf<'get'>,
  Member extends keyof Answer<'get', Path> & string,
>(
  path: Path,
  member: Member,
  params: ParamsOf<Path>,
  topic: 'api-key' | 'content',
): ListPage<RowOf<Path, Member>> & { arrived: number } {
  type Row = { id: string };
  const read = reading(useApi(), path, params) as unknown as UseQueryOptions<Page> & {
    queryFn: (context: object) => Promise<Page>;
  };
  const { queryKey } = read;
  const queries = useQueryClient();
  const page = useListPage(path, member, params);
  const list = JSON.stringify(queryKey);
  const [seen, setSeen] = useState({ list, ids: [] as string[] });
  const rowsOf = (of: Page) => of[member] as readonly Row[];
  const put = (changed: readonly Row[]) =>
    queries.setQueryData<Page>(queryKey, (known) => {
      if (!known) return known;
      const rows = updateRows(rowsOf(known), changed);
      return rows === rowsOf(known) ? known : { ...known, [member]: rows };
    });
  const refresh = () => {
    read.queryFn({}).then(
      (fresh) => {
        const known = queries.getQueryData<Page>(queryKey);
        if (known && rowsOf(known).length === 0) return queries.setQueryData<Page>(queryKey, fresh);
        put(rowsOf(fresh));
        return setSeen({ list, ids: rowsOf(fresh).map(({ id }) => id) });
      },
      // The list is read again as soon as the server answers.
      () => {},
    );
  };
  useEvents((event) => {
    if (event.topic === topic && event.data) put([event.data as Row]);
  });
  useLiveRefresh(refresh, (event) => event.topic === topic || event.topic === 'missed');
  const known = queries.getQueryData<Page>(queryKey);
  const shown = new Set(known ? rowsOf(known).map(({ id }) => id) : []);
  // New rows belong to the first page in the usual order, so they are counted there only.
  const { cursor, offset, sort } = (params as { query?: Record<string, unknown> }).query ?? {};
  const isFirst = !cursor && !offset && !sort;
  const ids = isFirst && known && seen.list === list ? seen.ids : [];
  return { ...page, arrived: ids.filter((id) => !shown.has(id)).length };
}

/**
 * Updates rows in place. No row is added or removed.
 *
 * @param changed fields that an event leaves out keep their values
 * @returns the same array if none of the changed rows is on the list
 */
export function updateRows<Row extends { id: string }>(
  rows: readonly Row[],
  changed: readonly Row[],
): readonly Row[] {
  const byId = new Map(changed.map((row) => [row.id, row]));
  if (!rows.some(({ id }) => byId.has(id))) return rows;
  return rows.map((row) => ({ ...row, ...byId.get(row.id) }));
}
