import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { QueryOf } from '../../api/api.ts';
import { useApp } from '../../session/app-context.ts';
import { type Span, spanOf, type TimeView } from '../../state/time-range.ts';
import { useSteadyError } from '../../state/use-steady-error.ts';

/** Each minute is reported once. */
const pollMs = 60_000;

/**
 * Usage over a time. A range that ends now goes on by itself.
 *
 * @param counts the requests that are counted, and by what
 */
export function useUsage({ range, zoomed }: TimeView, counts: Omit<QueryOf<'/api/v1/usage'>, 'from' | 'to'>) {
  const { api, clock } = useApp();
  const query = useQuery({
    queryKey: ['usage', zoomed ?? range, counts],
    queryFn: ({ signal }) => {
      const ends = toInstants(spanOf({ range, zoomed }, clock.now()));
      return api.call('get', '/api/v1/usage', { params: { query: { ...counts, ...ends } }, signal });
    },
    refetchInterval: zoomed ? false : pollMs,
    placeholderData: keepPreviousData,
  });
  const { data, isPlaceholderData, refetch } = query;
  const error = useSteadyError(query);
  return {
    /** Undefined until the first answer, and while there is an error. */
    usage: error ? undefined : data?.usage,
    error,
    isUpdating: isPlaceholderData,
    reload: () => void refetch(),
  };
}

/** Both ends in ISO 8601. */
export const toInstants = ({ from, to }: Span) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});
