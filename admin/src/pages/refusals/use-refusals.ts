import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { listRefusals, type Refusal } from '../../api/statistics.ts';
import { useApp } from '../../session/app-context.ts';

/** Soon enough to follow a player that tries again. */
const everyMs = 3_000;

/** The latest refusals of every process, followed. Undefined until the first answer. */
export function useRefusals(): { refusals: Refusal[] | undefined; error: unknown; reload: () => void } {
  const { api } = useApp();
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.refusals,
    queryFn: ({ signal }) => listRefusals(api, signal),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });
  return { refusals: data, error: data === undefined ? error : null, reload: () => void refetch() };
}
