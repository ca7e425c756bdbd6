import { useQueries } from '@tanstack/react-query';
import { useCallback } from 'react';
import { listContents } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { UsageKind } from '../../api/usage.ts';
import { useApi } from '../../session/app-context.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';

/** Names rarely change, and an ID is shown until they are known. */
const staleMs = 60_000;
/** The server searches for parts of names and IDs: some others may have the ID in theirs. */
const mostMatches = 10;

/** The names of contents and API keys by their IDs. Codes and viewers have none but their own. */
export function useSeriesNames(by: UsageKind, ids: readonly string[]): (id: string) => string {
  const api = useApi();
  const apiKeys = useApiKeyNames(by === 'api-key');
  const contents = useQueries({
    queries: (by === 'content' ? ids : []).map((id) => ({
      queryKey: queryKeys.contentName(id),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        // A search and not the content itself: an ID that is not registered is no error here.
        listContents(api, { q: id, limit: mostMatches }, signal).then(
          ({ items }) => items.find((content) => content.id === id)?.name ?? id,
        ),
      staleTime: staleMs,
      retry: false,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
  return useCallback(
    (id) => {
      if (by === 'content') return contents[ids.indexOf(id)] ?? id;
      if (by !== 'api-key') return id;
      const known = apiKeys?.get(id);
      if (known) return `${known.name} (${known.keyPrefix}…)`;
      return id === 'bootstrap-key' ? 'ADMIN_API_KEY' : id;
    },
    [by, ids, contents, apiKeys],
  );
}
