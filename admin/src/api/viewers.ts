import type { Api } from './api.ts';

interface ViewerPage {
  viewers: { viewerId: string }[];
  next_cursor: string | null;
}

/** Viewers with leases whose IDs begin so. */
export function listViewers(
  api: Api,
  query: { prefix?: string | undefined; limit?: number; cursor?: string | undefined },
  signal?: AbortSignal,
): Promise<ViewerPage> {
  return api.request('GET', '/api/v1/viewers', { query: { ...query }, signal });
}
