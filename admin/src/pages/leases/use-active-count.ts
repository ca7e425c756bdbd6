import { useQuery } from '@tanstack/react-query';
import { countActiveLeases, type LeaseSelector } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useApi } from '../../session/app-context.ts';
import { useLeaseNews } from './use-lease-news.ts';

/** Nothing tells when a lease expires by itself. */
const recountMs = 15_000;
/** A count costs the server milliseconds where there are a million leases. */
const newsMs = 1_000;

/** How many leases are active, exactly, and again whenever that may be another number. Undefined until known. */
export function useActiveCount({ viewerId, contentId }: LeaseSelector): number | undefined {
  const api = useApi();
  const selector = { viewerId, contentId };
  const count = useQuery({
    queryKey: queryKeys.leaseCount(selector),
    queryFn: ({ signal }) => countActiveLeases(api, selector, signal),
    refetchInterval: recountMs,
  });
  useLeaseNews(newsMs, () => {
    void count.refetch({ cancelRefetch: false });
    return true;
  });
  return count.data;
}
