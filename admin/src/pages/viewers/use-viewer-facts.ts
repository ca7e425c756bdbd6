import { useQuery } from '@tanstack/react-query';
import { reading } from '../../api/api.ts';
import { useApi } from '../../session/app-context.ts';
import { useLiveRefresh } from '../../state/use-events.ts';

/** The facts that the list of viewers has of this one, kept up to date. */
export function useViewerFacts(viewerId: string) {
  const api = useApi();
  const { data, error, refetch } = useQuery(reading(api, '/api/v1/viewers', { query: { viewerId } }));
  useLiveRefresh(
    () => void refetch(),
    ({ topic }) => topic === 'lease' || topic === 'audit' || topic === 'missed',
  );
  return { facts: error ? undefined : data?.viewers[0], error, reload: () => void refetch() };
}
