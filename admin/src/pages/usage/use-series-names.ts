import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { readContentNames } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { UsageKind } from '../../api/usage.ts';
import { useApi } from '../../session/app-context.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';

/** Names rarely change, and an ID is shown until they are known. */
const staleMs = 60_000;

/** The names of contents and API keys by their IDs. Codes and viewers have none but their own. */
export function useSeriesNames(by: UsageKind, ids: readonly string[]): (id: string) => string {
  const api = useApi();
  const apiKeys = useApiKeyNames(by === 'api-key');
  // A list and not the content itself: an ID that is not registered is no error here.
  const { data: contents } = useQuery({
    queryKey: queryKeys.contentNames(ids),
    queryFn: ({ signal }) => readContentNames(api, ids, signal),
    staleTime: staleMs,
    retry: false,
    placeholderData: keepPreviousData,
    enabled: by === 'content' && ids.length > 0,
  });
  return useCallback(
    (id) => {
      if (by === 'content') return contents?.get(id) ?? id;
      if (by !== 'api-key') return id;
      const known = apiKeys?.get(id);
      if (known) return `${known.name} (${known.keyPrefix}…)`;
      return id === 'bootstrap-key' ? 'ADMIN_API_KEY' : id;
    },
    [by, contents, apiKeys],
  );
}
