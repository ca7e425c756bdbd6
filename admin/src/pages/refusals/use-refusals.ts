import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { reading } from '../../api/api.ts';
import type { Refusal } from '../../api/resources.ts';
import { useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { useSteadyError } from '../../state/use-steady-error.ts';

/** Soon enough to follow a player that tries again. */
const everyMs = 3_000;

/** As many as the server gives. */
const mostRefusals = 500;

const none: Refusal[] = [];

/** The latest refusals of every process, followed. Undefined until the first answer. None for a key of some contents, which may not see them. */
export function useRefusals(): { refusals: Refusal[] | undefined; error: unknown; reload: () => void } {
  const { api } = useApp();
  const isAllowed = may(useCurrentApiKey(), 'whole-server');
  const query = useQuery({
    ...reading(api, '/api/v1/statistics', { query: { steps: 1, refusals: mostRefusals } }),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
    enabled: isAllowed,
  });
  const { data, refetch } = query;
  const error = useSteadyError(query);
  return {
    refusals: isAllowed ? data?.statistics.refusals : none,
    error: data === undefined ? error : null,
    reload: () => void refetch(),
  };
}
