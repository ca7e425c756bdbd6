import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Api } from '../../api/api.ts';
import type { UsageKind } from '../../api/resources.ts';
import { useApi } from '../../session/app-context.ts';
import { isContentId } from '../../state/content-id.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';

/** Names rarely change, and an ID is shown until they are known. */
const staleMs = 60_000;

/** 25 of the longest IDs fit in the 8 KB of a request line that proxies take. */
const idsAtOnce = 25;

/** The names of registered contents by their IDs. */
async function readContentNames(
  api: Api,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const known = ids.filter(isContentId);
  const parts = Array.from({ length: Math.ceil(known.length / idsAtOnce) }, (_, n) =>
    known.slice(n * idsAtOnce, (n + 1) * idsAtOnce),
  );
  const pages = await Promise.all(
    parts.map((part) =>
      api.call('get', '/api/v1/content', { params: { query: { ids: part.join(',') } }, signal }),
    ),
  );
  return new Map(pages.flatMap(({ items }) => items).map(({ id, name }) => [id, name]));
}

/** The names of contents and API keys by their IDs. Codes and viewers have none but their own. */
export function useSeriesNames(by: UsageKind, ids: readonly string[]): (id: string) => string {
  const api = useApi();
  const apiKeys = useApiKeyNames(by === 'api-key');
  // A list and not the content itself: an ID that is not registered is no error here.
  const { data: contents } = useQuery({
    queryKey: ['content', 'names', ids],
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
