import type { Api } from './api.ts';
import type { Lease, LeaseStatus } from './resources.ts';

/** The leases of a viewer, of a content, of the pair, or all of them. */
export interface LeaseSelector {
  viewerId?: string | undefined;
  contentId?: string | undefined;
}

export interface LeaseQuery extends LeaseSelector {
  state?: LeaseStatus | undefined;
  limit?: number;
  cursor?: string | undefined;
}

export interface LeasePage {
  leases: Lease[];
  next_cursor: string | null;
  /** Active leases of the viewer and content that were asked for, whatever the state that was. */
  total_active: number;
}

/** Newest first. */
export function listLeases(api: Api, query: LeaseQuery, signal?: AbortSignal): Promise<LeasePage> {
  return api.request('GET', '/api/v1/leases', { query: { ...query }, signal });
}

export async function readLease(api: Api, id: string, signal?: AbortSignal): Promise<Lease> {
  const path = `/api/v1/leases/${encodeURIComponent(id)}`;
  const { lease } = await api.request<{ lease: Lease }>('GET', path, { signal });
  return lease;
}

/** How many leases are active, exactly. */
export async function countActiveLeases(
  api: Api,
  { viewerId, contentId }: LeaseSelector,
  signal?: AbortSignal,
): Promise<number> {
  // The list counts them all, so the least of a list is enough.
  const page = await listLeases(api, { viewerId, contentId, limit: 1 }, signal);
  return page.total_active;
}

/** What a revocation names: one lease, or every one of a viewer, of a content or of the pair. */
export type RevocationTarget =
  | { leaseId: string }
  | { viewerId: string; contentId?: string }
  | { contentId: string };

export interface Revocation {
  /** How many were newly revoked, as far as they were counted. */
  revoked: number;
  /** Present where there are more than were counted. */
  more?: true;
}

/** @param reason up to 500 characters; null for none */
export function revokeLeases(api: Api, target: RevocationTarget, reason: string | null): Promise<Revocation> {
  const body = reason === null ? target : { ...target, reason };
  return api.request('POST', '/keys/leases/revoke', { body });
}
