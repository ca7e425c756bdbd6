import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { listContents } from '../../api/contents.ts';
import type { StreamState } from '../../api/events.ts';
import { countActiveLeases } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { readStatistics, type Statistics } from '../../api/statistics.ts';
import { useApi } from '../../session/app-context.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import { type ActedChange, useActedChanges } from './named-changes.ts';

export interface Overview {
  /** Undefined until everything has answered once, so that it comes at once. Goes on being shown while there is an error. */
  statistics: Statistics | undefined;
  /** Of the figures, with what was done. */
  changes: readonly ActedChange[];
  /** Counted this moment; undefined where that is not known. */
  activeLeases: number | undefined;
  /** Whether nothing has been registered yet. */
  isFresh: boolean;
  error: unknown;
  stream: StreamState;
  retry: () => void;
}

/** As long as a step of the figures. Also says what no event tells: requests, durations, what is down. */
const pollMs = 10_000;

const pollAfter = (error: unknown) =>
  Math.max(pollMs, error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0);

/** The figures, kept fresh by the clock and by what happens. */
export function useOverview(): Overview {
  const api = useApi();
  const statistics = useQuery({
    queryKey: queryKeys.statistics,
    queryFn: ({ signal }) => readStatistics(api, signal),
    refetchInterval: ({ state }) => pollAfter(state.error),
  });
  const leases = useQuery({
    queryKey: queryKeys.leaseCount({}),
    queryFn: ({ signal }) => countActiveLeases(api, {}, signal),
  });
  const contents = useQuery({
    queryKey: queryKeys.contentPage({ limit: 1 }),
    queryFn: ({ signal }) => listContents(api, { limit: 1 }, signal),
    // Once there is content, there is: it is disabled and never removed.
    staleTime: ({ state }) => (state.data && state.data.total > 0 ? Number.POSITIVE_INFINITY : 0),
  });
  const { changes, isKnown } = useActedChanges(statistics.data?.changes);
  const refresh = () => {
    void statistics.refetch({ cancelRefetch: false });
    void leases.refetch({ cancelRefetch: false });
    if (contents.data?.total === 0) void contents.refetch({ cancelRefetch: false });
  };
  // The audit of an act comes with the event of the act.
  const stream = useLiveRefresh(refresh, ({ topic }) => topic !== 'audit');
  return {
    statistics: leases.isPending || contents.isPending || !isKnown ? undefined : statistics.data,
    changes,
    // Leases also end by themselves: the count of the figures is as old as they are, and so may the other be.
    activeLeases: newest(leases, statistics),
    isFresh: contents.data?.total === 0,
    error: statistics.error,
    stream,
    retry: refresh,
  };
}

interface Read<Data> {
  data: Data | undefined;
  dataUpdatedAt: number;
}

/** Whichever was counted later. */
function newest(exact: Read<number>, { data, dataUpdatedAt }: Read<Statistics>): number | undefined {
  const sampled = data?.activeLeases.count ?? undefined;
  if (sampled === undefined || exact.data === undefined) return exact.data ?? sampled;
  return exact.dataUpdatedAt + pollMs > dataUpdatedAt ? exact.data : sampled;
}
