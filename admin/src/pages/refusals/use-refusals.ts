import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { listRefusals, type Refusal } from '../../api/statistics.ts';
import { useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';

/** Soon enough to follow a player that tries again. */
const everyMs = 3_000;

const none: Refusal[] = [];

/** The latest refusals of every process, followed. Undefined until the first answer. None for a key of some contents, which may not see them. */
export function useRefusals(): { refusals: Refusal[] | undefined; error: unknown; reload: () => void } {
  const { api } = useApp();
  const isAllowed = may(useCurrentApiKey(), 'whole-server');
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.refusals,
    queryFn: ({ signal }) => listRefusals(api, signal),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
    enabled: isAllowed,
  });
  return {
    refusals: isAllowed ? data : none,
    error: data === undefined ? error : null,
    reload: () => void refetch(),
  };
}
