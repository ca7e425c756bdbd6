import { useQuery } from '@tanstack/react-query';
import { countActiveLeases, type LeaseSelector } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatCount } from '../../components/format-numbers.ts';
import { useApp } from '../../session/app-context.ts';
import { useStore } from '../../state/store.ts';
import { useLeaseNews } from './lease-news.ts';
import styles from './leases.module.css';

/** @param active how many leases are; undefined until known */
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

/** Nothing tells when a lease expires by itself. */
const recountMs = 15_000;
/** A count costs the server milliseconds where there are a million leases. */
const newsMs = 1_000;
/** Where the server counts requests, and takes 30 in a minute. */
const countedNewsMs = 15_000;

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
  const { api, rateLimit } = useApp();
  const everyMs = useStore(rateLimit.isCounting) ? countedNewsMs : newsMs;
  const selector = { viewerId, contentId };
  const count = useQuery({
    queryKey: queryKeys.leaseCount(selector),
    queryFn: ({ signal }) => countActiveLeases(api, selector, signal),
    refetchInterval: recountMs,
    staleTime: freshMs,
    enabled: isListed,
  });
  useLeaseNews(everyMs, () => {
    if (isListed) void count.refetch({ cancelRefetch: false });
    return isListed;
  });
  return count.data;
}
