import { useQuery } from '@tanstack/react-query';
import { countActiveLeases, type LeaseSelector } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatCount } from '../../components/format-numbers.ts';
import { useApp } from '../../session/app-context.ts';
import { useLeaseNews } from './lease-news.ts';
import styles from './leases.module.css';

/** @param active number of active leases; undefined until known */
export function ActiveCount({ active }: { active: number | undefined }) {
  return (
    <span className={styles.count} data-testid="active-leases">
      {active === undefined ? (
        'Counting…'
      ) : (
        <>
          <strong>{formatCount(active)}</strong> active
        </>
      )}
    </span>
  );
}

/** No event reports the expiry of a lease. */
const recountMs = 15_000;
/** With a million leases a count costs the server milliseconds. */
const newsMs = 1_000;

/** A count that came with the list is this old at most. */
const freshMs = 10_000;

/**
 * The exact number of active leases, updated live. Undefined until known.
 *
 * @param isListed whether the list has been read: its answer includes the count (`useLeasePage`)
 */
export function useActiveCount(
  { viewerId, contentId }: LeaseSelector,
  isListed: boolean,
): number | undefined {
  const { api } = useApp();
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
