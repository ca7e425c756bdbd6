import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Usage } from '../../api/schema.ts';
import { useApi, useApp } from '../../session/app-context.ts';
import { spanOf } from '../../state/time-range.ts';
import { useSteadyError } from '../../state/use-steady-error.ts';
import type { UsageView } from './usage-view.ts';

/** Each minute is reported once. */
const pollMs = 60_000;

export interface ReadUsage {
  /** Undefined until the first answer, and while there is an error. */
  usage: Usage | undefined;
  error: unknown;
  isUpdating: boolean;
  reload: () => void;
}

/** Usage of a view. A range that ends now goes on by itself. */
export function useUsage({ range, zoomed, requests, by, id }: Omit<UsageView, 'refused'>): ReadUsage {
  const api = useApi();
  const { clock } = useApp();
  const query = useQuery({
    queryKey: ['usage', zoomed ?? range, requests, by, id],
    queryFn: ({ signal }) => {
      const { from, to } = spanOf({ range, zoomed }, clock.now());
      const ends = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      return api.call('get', '/api/v1/usage', { params: { query: { requests, by, id, ...ends } }, signal });
    },
    refetchInterval: zoomed ? false : pollMs,
    placeholderData: keepPreviousData,
  });
  const { data, isPlaceholderData, refetch } = query;
  const error = useSteadyError(query);
  return {
    usage: error ? undefined : data?.usage,
    error,
    isUpdating: isPlaceholderData,
    reload: () => void refetch(),
  };
}
