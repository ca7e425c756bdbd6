import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { type ApiKeyFilter, readFilter, writeFilter } from './api-key-filter.ts';

/** The filter that the address holds. */
export function useApiKeyFilter(): [ApiKeyFilter, (change: (filter: ApiKeyFilter) => ApiKeyFilter) => void] {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => readFilter(params), [params]);
  const setFilter = useCallback(
    (change: (filter: ApiKeyFilter) => ApiKeyFilter) =>
      // Not a step of its own in the history: the button back leaves the page, not the last letter.
      setParams((now) => writeFilter(change(readFilter(now))), { replace: true }),
    [setParams],
  );
  return [filter, setFilter];
}
