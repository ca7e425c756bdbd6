import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listApiKeys } from '../api/api-keys.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { ApiKey } from '../api/resources.ts';
import { useApi } from '../session/app-context.ts';

export type ApiKeyNames = ReadonlyMap<string, Pick<ApiKey, 'id' | 'name' | 'keyPrefix'>>;

/** The server's largest page. With more keys, the oldest are shown by their IDs. */
const limit = 500;
/** Names do not change, and every action on a key invalidates this query. */
const staleMs = 60_000;

/**
 * The newest API keys by ID; undefined until the answer, empty if it fails. Needs a key with management permission.
 *
 * @param isNeeded whether something on the page names an API key: the answer has 120 KB
 */
export function useApiKeyNames(isNeeded = true): ApiKeyNames | undefined {
  const api = useApi();
  const { data, isPending } = useQuery({
    queryKey: queryKeys.apiKeyNames,
    queryFn: ({ signal }) => listApiKeys(api, { limit }, signal),
    enabled: isNeeded,
    staleTime: staleMs,
    // IDs are enough: no page waits for names.
    retry: false,
  });
  return useMemo(
    () => (isPending ? undefined : new Map(data?.api_keys.map((key) => [key.id, key]))),
    [data, isPending],
  );
}
