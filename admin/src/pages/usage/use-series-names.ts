import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { reading } from '../../api/api.ts';
import type { Usage } from '../../api/schema.ts';
import { useApi } from '../../session/app-context.ts';
import { isContentId } from '../../state/content-id.ts';
import { useApiKeyNames } from '../../state/use-api-key-names.ts';

/** Names rarely change, and an ID is shown until they are known. */
const staleMs = 60_000;

/**
 * The names of contents and API keys by their IDs. Codes and viewers have none but their own.
 *
 * @param usage has eight series at most, whose IDs fit in the 8 KB of a request line that proxies take
 */
export function useSeriesNames({ by, series }: Usage): (id: string) => string {
  const api = useApi();
  const apiKeys = useApiKeyNames(by === 'api-key');
  const contentIds = series
    .map(({ id }) => id)
    .filter(isContentId)
    .join();
  // A list and not the content itself: an ID that is not registered is no error here.
  const { data: contents } = useQuery({
    ...reading(api, '/api/v1/content', { query: { ids: contentIds } }),
    staleTime: staleMs,
    retry: false,
    placeholderData: keepPreviousData,
    enabled: by === 'content' && contentIds !== '',
  });
  return useCallback(
    (id) => {
      if (by === 'content') return contents?.items.find((content) => content.id === id)?.name ?? id;
      if (by !== 'api-key') return id;
      const known = apiKeys?.get(id);
      if (known) return `${known.name} (${known.keyPrefix}…)`;
      return id === 'bootstrap-key' ? 'ADMIN_API_KEY' : id;
    },
    [by, contents, apiKeys],
  );
}
