import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { listContents } from '../../api/contents.ts';
import type { StreamState } from '../../api/events.ts';
import { countActiveLeases } from '../../api/leases.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { readStatistics, type Statistics } from '../../api/statistics.ts';
import { useApi } from '../../session/app-context.ts';
import { useLiveRefresh } from '../../state/use-events.ts';
import { type AuditedChange, useAuditedChanges } from './audited-changes.ts';

export interface Overview {
  /** Undefined until all requests have answered once, so that the page appears in one step. Kept during an error. */
  statistics: Statistics | undefined;
  /** The changes of the figures, with their actions. */
  changes: readonly AuditedChange[];
  /** The current count; undefined if unknown. */
  activeLeases: number | undefined;
  /** Whether no content is registered yet. */
  isFresh: boolean;
  error: unknown;
  stream: StreamState;
  retry: () => void;
}

/** The length of a step. No event reports requests, durations and outages, so they are polled. */
const pollMs = 10_000;

const pollAfter = (error: unknown) =>
  Math.max(pollMs, error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0);

/** The figures, refreshed by time and by events. */
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
    // Content is never removed, only disabled, so this is read until there is some.
    staleTime: ({ state }) => (state.data && state.data.total > 0 ? Number.POSITIVE_INFINITY : 0),
  });
  const { changes, isKnown } = useAuditedChanges(statistics.data?.changes);
  const refresh = () => {
    void statistics.refetch({ cancelRefetch: false });
    void leases.refetch({ cancelRefetch: false });
    if (contents.data?.total === 0) void contents.refetch({ cancelRefetch: false });
  };
  // The audit record of an action arrives with the event of the action.
  const stream = useLiveRefresh(refresh, ({ topic }) => topic !== 'audit');
  return {
    statistics: leases.isPending || contents.isPending || !isKnown ? undefined : statistics.data,
    changes,
    // Leases expire without an event, so either count can be the older one.
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

/** The later of the two counts. */
function newest(exact: Read<number>, { data, dataUpdatedAt }: Read<Statistics>): number | undefined {
  const sampled = data?.activeLeases.count ?? undefined;
  if (sampled === undefined || exact.data === undefined) return exact.data ?? sampled;
  return exact.dataUpdatedAt + pollMs > dataUpdatedAt ? exact.data : sampled;
}
