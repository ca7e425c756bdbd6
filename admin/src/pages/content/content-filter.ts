import type { QueryOf } from '../../api/api.ts';
import { contentOrders, contentStatuses } from '../../api/resources.ts';
import type { Content } from '../../api/schema.ts';
import { pageSize } from '../../components/use-cursor-pages.ts';
import { type ChangeFilter, oneOf, toParams, useAddressFilter } from '../../state/use-address-filter.ts';

export interface ContentFilter {
  q: string;
  status: Content['status'] | null;
  /** Null for newest first. */
  sort: (typeof contentOrders)[number] | null;
  /** Counted from 1. */
  page: number;
}

export const everyContent: ContentFilter = { q: '', status: null, sort: null, page: 1 };

/** Reads the filter from the query of an address. */
export function readFilter(params: URLSearchParams): ContentFilter {
  const page = Number(params.get('page'));
  return {
    q: params.get('q') ?? '',
    status: oneOf(params, 'status', contentStatuses),
    sort: oneOf(params, 'sort', contentOrders),
    page: [page, page * pageSize].every(Number.isSafeInteger) && page > 0 ? page : 1,
  };
}

function writeFilter({ q, status, sort, page }: ContentFilter): URLSearchParams {
  return toParams({ q, status, sort, page: page === 1 ? null : String(page) });
}

/** The request for the server. */
export function toContentQuery({ q, status, sort, page }: ContentFilter): QueryOf<'/api/v1/content'> {
  return { q: q.trim(), status, sort, limit: pageSize, offset: (page - 1) * pageSize };
}

export function isNarrowed({ q, status }: ContentFilter): boolean {
  return q !== '' || status !== null;
}

export function useContentFilter(): [ContentFilter, ChangeFilter<ContentFilter>] {
  return useAddressFilter(readFilter, writeFilter);
}
