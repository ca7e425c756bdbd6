import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { countLeases, type LeaseCounts, type LeaseQuery } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatCount } from '../../components/format-numbers.ts';
import { useApp } from '../../session/app-context.ts';
import { useLeaseNews } from './lease-news.ts';
import styles from './leases.module.css';
import type { LivePage } from './use-lease-page.ts';

interface ShownCounts extends Partial<LeaseCounts> {
  /** Whether nothing is known because a request failed. It is tried again. */
  isFailed: boolean;
}

export function ActiveCount({ active, isFailed }: ShownCounts) {
  return (
    <span className={styles.count} data-testid="active-leases">
      {active === undefined ? (
        describeUnknownCount(isFailed)
      ) : (
        <>
          <strong>{formatCount(active)}</strong> active
        </>
      )}
    </span>
  );
}

/** What stands in place of a count that is not known. */
export const describeUnknownCount = (isFailed: boolean) => (isFailed ? 'Not counted' : 'Counting…');

/** No event reports the expiry of a lease. */
const recountMs = 15_000;
/** With a million leases a count costs the server milliseconds. */
const newsMs = 1_000;

/** Turning pages does not count again. */
const freshMs = 10_000;

/** A slow computer draws a page of rows in this time. A count would take the processor from it if the database runs there as well. */
const drawMs = 100;

type Counted = Pick<LeaseQuery, 'viewerId' | 'contentId' | 'state'>;

/**
 * The counts of a list of leases, updated live. Undefined until known.
 *
 * @param list they are counted only once it has been read: counting a million leases would delay its rows
 */
export function useLeaseCounts(
  { viewerId, contentId, state }: Counted,
  { isListed, error }: Pick<LivePage, 'isListed' | 'error'>,
): ShownCounts {
  const { api } = useApp();
  const query = { viewerId, contentId, state };
  const isDrawn = useLater(isListed, drawMs);
  const counts = useQuery<Partial<LeaseCounts>>({
    queryKey: queryKeys.leaseCounts(query),
    queryFn: ({ signal }) => countLeases(api, query, signal),
    refetchInterval: recountMs,
    staleTime: freshMs,
    enabled: isDrawn,
    // Of another state there are as many active ones.
    placeholderData: (known, before) => {
      const last = before?.queryKey.at(-1) as Counted | undefined;
      const isSame = last?.viewerId === viewerId && last?.contentId === contentId;
      return isSame && known?.active !== undefined ? { active: known.active } : undefined;
    },
  });
  useLeaseNews(newsMs, () => {
    if (isDrawn) void counts.refetch({ cancelRefetch: false });
    return isDrawn;
  });
  return { ...counts.data, isFailed: counts.isError || error !== null };
}

/** Whether something has been so for a time. */
function useLater(isSo: boolean, ms: number): boolean {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    if (!isSo) return;
    const timer = setTimeout(() => setLater(true), ms);
    return () => {
      clearTimeout(timer);
      setLater(false);
    };
  }, [isSo, ms]);
  return isLater;
}
