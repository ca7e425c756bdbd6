import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { type ContentFilter, readFilter, writeFilter } from './content-filter.ts';

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
