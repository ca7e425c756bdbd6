import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listApiKeys } from '../api/api-keys.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { ApiKey } from '../api/resources.ts';
import { useApi } from '../session/app-context.ts';

export type ApiKeyNames = ReadonlyMap<string, Pick<ApiKey, 'id' | 'name' | 'keyPrefix'>>;

/** As many as the server gives at once: whoever has more keys sees the ids of the oldest. */
const limit = 500;
/** Names do not change, and an act on a key makes this stale. */
const staleMs = 60_000;

/** API keys by their ids, the newest of them; undefined until the answer, empty where there is none. For keys that may manage. */
export function useApiKeyNames(): ApiKeyNames | undefined {
  const api = useApi();
  const { data, isPending } = useQuery({
    queryKey: queryKeys.apiKeyNames,
    queryFn: ({ signal }) => listApiKeys(api, { limit }, signal),
    staleTime: staleMs,
    // The ids say enough: nobody waits for names.
    retry: false,
  });
  return useMemo(
    () => (isPending ? undefined : new Map(data?.api_keys.map((key) => [key.id, key]))),
    [data, isPending],
  );
}
