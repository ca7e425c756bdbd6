import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type Api, reading } from '../../api/api.ts';
import { formatCount } from '../../components/format-numbers.ts';
import { useApp } from '../../session/app-context.ts';
import type { LeaseQuery } from './lease-filter.ts';
import { useLeaseNews } from './lease-news.ts';
import type { LivePage } from './use-lease-page.ts';

type Counted = Pick<LeaseQuery, 'viewerId' | 'contentId' | 'state'>;

/** The counts of a list of leases. Every page has the full ones, so the smallest page is enough. */
export const countingLeases = (api: Api, { viewerId, contentId, state }: Counted) =>
  reading(api, '/api/v1/leases', { query: { viewerId, contentId, state, limit: 1 } });

export function ActiveCount({ active, isFailed }: ReturnType<typeof useLeaseCounts>) {
  return (
    <span className="note" data-testid="active-leases">
      {active === undefined ? (
        describeUnknownCount(isFailed)
      ) : (
        <>
          <strong style={{ color: 'var(--text)', fontWeight: 600 }}>{formatCount(active)}</strong> active
        </>
      )}
    </span>
  );
}

/** The text in place of a count that is not known. */
export const describeUnknownCount = (isFailed: boolean) => (isFailed ? 'Not counted' : 'Counting…');

/** No event reports the expiry of a lease. */
const recountMs = 15_000;
/** With a million leases a count costs the server milliseconds. */
const newsMs = 1_000;

/** Turning pages does not count again. */
const freshMs = 10_000;

/** A slow computer draws a page of rows in this time. A count would take the processor from it if the database runs there as well. */
const drawMs = 100;

/**
 * The counts of a list of leases, updated live. Undefined until known.
 *
 * @param list they are counted only once it has been read: counting a million leases would delay its rows
 * @returns `active` leases of the viewer and content, whatever the state in the query. The `total` of matches on all pages: active ones
 *   exactly, others up to `countedUpTo`, null if unknown. `isFailed` if nothing is known because a request failed, which is tried again
 */
export function useLeaseCounts(counted: Counted, { isListed, error }: Pick<LivePage, 'isListed' | 'error'>) {
  const { api } = useApp();
  const { viewerId, contentId, state } = counted;
  const listed = isListed ? JSON.stringify([viewerId, contentId, state]) : null;
  const [drawn] = useDebouncedValue(listed, drawMs);
  const isDrawn = listed !== null && drawn === listed;
  const counts = useQuery({
    ...countingLeases(api, counted),
    refetchInterval: recountMs,
    staleTime: freshMs,
    enabled: isDrawn,
    // Of another state there are as many active ones.
    placeholderData: (known, before) => {
      const last = (before?.queryKey.at(-1) as { query: Counted } | undefined)?.query;
      const isSame = last?.viewerId === viewerId && last?.contentId === contentId;
      return isSame && known ? { ...known, total: null } : undefined;
    },
  });
  useLeaseNews(newsMs, isDrawn, () => void counts.refetch({ cancelRefetch: false }));
  const { total_active: active, total } = counts.data ?? {};
  return { active, total, isFailed: counts.isError || error !== null };
}
