import type { Api } from './api.ts';
import { untilApplied } from './applied.ts';
import type { Revocation } from './leases.ts';

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

/** While it holds, the viewer gets no key and no lease, whatever its token. */
export interface ViewerBlock {
  viewerId: string;
  blockedAt: string;
  /** Null: until it is lifted. */
  until: string | null;
  reason: string | null;
}

const blockOf = (viewerId: string) => `/api/v1/viewers/${encodeURIComponent(viewerId)}/block`;

/** @returns null if the viewer is not blocked */
export async function readBlock(
  api: Api,
  viewerId: string,
  signal?: AbortSignal,
): Promise<ViewerBlock | null> {
  const { block } = await api.request<{ block: ViewerBlock | null }>('GET', blockOf(viewerId), { signal });
  return block;
}

/** Its answer waits until every process has applied it. */
export function blockViewer(
  api: Api,
  viewerId: string,
  body: { until: string | null; reason?: string },
): Promise<Revocation> {
  return api.request('PUT', blockOf(viewerId), { body, query: untilApplied });
}

export function unblockViewer(api: Api, viewerId: string): Promise<void> {
  return api.request('DELETE', blockOf(viewerId));
}
