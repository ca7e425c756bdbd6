import { useTimeout } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Api, reading } from '../api/api.ts';
import type { ApiKey } from '../api/schema.ts';
import { useApi } from '../session/app-context.ts';

export type ApiKeyNames = ReadonlyMap<string, Pick<ApiKey, 'id' | 'name' | 'keyPrefix'>>;

/** The server's largest page. With more keys, the oldest are shown by their IDs. */
const limit = 500;
/** Names do not change, and every action on a key invalidates this query. */
const staleMs = 60_000;

/** The names of the newest API keys. Kept until sign-out: an old name is better than a page that waits. */
const apiKeyNames = (api: Api) => ({
  ...reading(api, '/api/v1/api-keys', { query: { limit } }),
  staleTime: staleMs,
  gcTime: Number.POSITIVE_INFINITY,
  // IDs are enough: no page waits for names that fail.
  retry: false,
});

/**
 * The newest API keys by ID; undefined until the answer, empty if it fails. Needs a key with management permission.
 *
 * @param isNeeded whether something on the page names an API key: the answer has 120 KB
 */
export function useApiKeyNames(isNeeded = true): ApiKeyNames | undefined {
  const api = useApi();
  const { data, isPending } = useQuery({ ...apiKeyNames(api), enabled: isNeeded });
  return useMemo(
    () => (isPending ? undefined : new Map(data?.api_keys.map((key) => [key.id, key]))),
    [data, isPending],
  );
}

/** Later than the scripts of the pages, which every click needs. */
const idleAfterMs = 300;

/** Reads the names in idle time, so that the audit shows its rows as soon as it has them. */
export function usePreloadedApiKeyNames(isAllowed: boolean): void {
  const api = useApi();
  const queries = useQueryClient();
  const preload = () => isAllowed && void queries.prefetchQuery(apiKeyNames(api));
  useTimeout(preload, idleAfterMs, { autoInvoke: true });
}
