import {
  type UsePrefetchQueryOptions,
  type UseQueryOptions,
  type UseQueryResult,
  usePrefetchQuery,
  useQuery,
} from '@tanstack/react-query';

/**
 * Like `useQuery` for what a page is about, but the request leaves while the page is drawn and not after it: the server then answers meanwhile.
 * It must not be used with `enabled`.
 */
export function useEagerQuery<Data>(options: UseQueryOptions<Data>): UseQueryResult<Data> {
  usePrefetchQuery(options as UsePrefetchQueryOptions<Data>);
  return useQuery(options);
}
