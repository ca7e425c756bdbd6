import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { ContentQuery } from '../../api/contents.ts';
import type { ContentStatus } from '../../api/resources.ts';

export const statuses: readonly ContentStatus[] = ['active', 'disabled'];

/** What the list shows; it stands in the address, so that it can be kept, sent and gone back to. */
export interface ContentFilter {
  q: string;
  status: ContentStatus | null;
  /** Counted from 1. */
  page: number;
}

export const everyContent: ContentFilter = { q: '', status: null, page: 1 };

/** What fits two windows: drawn at once, and soon fetched. */
export const pageSize = 50;

/** Reads the query of an address; what it does not know counts as absent. */
export function readFilter(params: URLSearchParams): ContentFilter {
  const page = Number(params.get('page'));
  return {
    q: params.get('q') ?? '',
    status: statuses.find((status) => status === params.get('status')) ?? null,
    page: [page, page * pageSize].every(Number.isSafeInteger) && page > 0 ? page : 1,
  };
}

/** The query of an address that stands for the filter. */
export function writeFilter({ q, status, page }: ContentFilter): URLSearchParams {
  const entries = { q, status, page: page === 1 ? null : String(page) };
  return new URLSearchParams(
    Object.entries(entries).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

/** What to ask the server. */
export function toContentQuery({ q, status, page }: ContentFilter): ContentQuery {
  return {
    q: q.trim() || undefined,
    status: status ?? undefined,
    limit: pageSize,
    offset: (page - 1) * pageSize,
  };
}

export function isNarrowed({ q, status }: ContentFilter): boolean {
  return q !== '' || status !== null;
}

export type ChangeFilter = (change: (filter: ContentFilter) => ContentFilter) => void;

/** The filter that the address holds. */
export function useContentFilter(): [ContentFilter, ChangeFilter] {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => readFilter(params), [params]);
  const setFilter = useCallback<ChangeFilter>(
    (change) =>
      // Not a step of its own in the history: the button back leaves the page, not the last letter.
      setParams((now) => writeFilter(change(readFilter(now))), { replace: true }),
    [setParams],
  );
  return [filter, setFilter];
}
