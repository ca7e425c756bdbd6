import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Refusal } from '../../api/resources.ts';
import type { Lease, ViewerBlock } from '../../api/schema.ts';

/** Where an answer is looked up. */
export interface Sources {
  api: Api;
  /** The latest refusals of every process, newest first. */
  refusals: readonly Refusal[];
  /** Whether the signed-in key may read the audit and blocks. */
  seesAll: boolean;
}

export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @returns null for a lease that is not stored, or not visible to the signed-in key */
export async function findLease({ api }: Pick<Sources, 'api'>, id: string | null): Promise<Lease | null> {
  if (id === null || !uuid.test(id)) return null;
  try {
    return (await api.call('get', '/api/v1/leases/{id}', { params: { path: { id } } })).lease;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** @returns null for a viewer that is not blocked, or if the signed-in key may not know */
export async function findBlock({ api, seesAll }: Sources, viewerId: string): Promise<ViewerBlock | null> {
  if (!seesAll) return null;
  const params = { path: { viewerId } };
  return (await api.call('get', '/api/v1/viewers/{viewerId}/block', { params })).block;
}
