import { useQuery } from '@tanstack/react-query';
import { countActiveLeases, type LeaseSelector } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useApi } from '../../session/app-context.ts';
import { useLeaseNews } from './use-lease-news.ts';

/** Nothing tells when a lease expires by itself. */
const recountMs = 15_000;
/** A count costs the server milliseconds where there are a million leases. */
const newsMs = 1_000;

/** As old as the count of the list may be when the page of it is there. */
const freshMs = 10_000;

/**
 * How many leases are active, exactly, and again whenever that may be another number. Undefined until known.
 *
 * @param isListed whether the list is there: it has brought its count along (`useLeasePage`)
 */
export function useActiveCount(
  { viewerId, contentId }: LeaseSelector,
  isListed: boolean,
): number | undefined {
  const api = useApi();
  const selector = { viewerId, contentId };
  const count = useQuery({
    queryKey: queryKeys.leaseCount(selector),
    queryFn: ({ signal }) => countActiveLeases(api, selector, signal),
    refetchInterval: recountMs,
    staleTime: freshMs,
    enabled: isListed,
  });
  useLeaseNews(newsMs, () => {
    if (isListed) void count.refetch({ cancelRefetch: false });
    return isListed;
  });
  return count.data;
}
