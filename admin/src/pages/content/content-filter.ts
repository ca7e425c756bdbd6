import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { ContentQuery } from '../../api/contents.ts';
import type { ContentStatus } from '../../api/resources.ts';

export const statuses: readonly ContentStatus[] = ['active', 'disabled'];

/** The filter of the list. It is part of the address, so that it can be bookmarked and shared. */
export interface ContentFilter {
  q: string;
  status: ContentStatus | null;
  /** Counted from 1. */
  page: number;
}

export const everyContent: ContentFilter = { q: '', status: null, page: 1 };

/** Fills two windows, and is quick to read and draw. */
export const pageSize = 50;

/** Reads the filter from the query of an address. Unknown values are ignored. */
export function readFilter(params: URLSearchParams): ContentFilter {
  const page = Number(params.get('page'));
  return {
    q: params.get('q') ?? '',
    status: statuses.find((status) => status === params.get('status')) ?? null,
    page: [page, page * pageSize].every(Number.isSafeInteger) && page > 0 ? page : 1,
  };
}

/** Writes the filter as the query of an address. */
export function writeFilter({ q, status, page }: ContentFilter): URLSearchParams {
  const entries = { q, status, page: page === 1 ? null : String(page) };
  return new URLSearchParams(
    Object.entries(entries).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

/** The request for the server. */
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

/** The filter in the address. */
export function useContentFilter(): [ContentFilter, ChangeFilter] {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => readFilter(params), [params]);
  const setFilter = useCallback<ChangeFilter>(
    (change) =>
      // Replaces the history entry: the back button leaves the page instead of undoing one letter.
      setParams((now) => writeFilter(change(readFilter(now))), { replace: true }),
    [setParams],
  );
  return [filter, setFilter];
}
