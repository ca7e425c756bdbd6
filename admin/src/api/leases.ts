import type { Api } from './api.ts';
import type { Applied, untilApplied } from './applied.ts';
import type { Lease, LeaseStatus } from './resources.ts';

/** Selects the leases of a viewer, of a content, of the pair, or all leases. */
export interface LeaseSelector {
  viewerId?: string | undefined;
  contentId?: string | undefined;
}

/** The orders of the list beside the usual one, newest first. Only active leases of everybody are listed by their expiry. */
export const leaseOrders = ['createdAt', 'expiresAt', '-expiresAt'] as const;
export type LeaseOrder = (typeof leaseOrders)[number];

export interface LeaseQuery extends LeaseSelector {
  state?: LeaseStatus | undefined;
  /** Newest first by default. */
  sort?: LeaseOrder | undefined;
  limit?: number;
  cursor?: string | undefined;
}

export interface LeasePage {
  leases: Lease[];
  next_cursor: string | null;
}

export interface LeaseCounts {
  /** Number of active leases of the selected viewer and content, whatever the state in the query. */
  active: number;
  /** Number of matches on all pages; active ones exactly, others up to `leasesCountedUpTo`. */
  total: number;
}

export const leasesCountedUpTo = 10_000;

const path = '/api/v1/leases';

/** A page of leases. Nothing is counted: with a million leases, that takes longer than the page. */
export function listLeases(api: Api, query: LeaseQuery, signal?: AbortSignal): Promise<LeasePage> {
  return api.request('GET', path, { query: { ...query }, signal, isMinimal: true });
}

/** Counts the leases of a list. */
export async function countLeases(
  api: Api,
  { viewerId, contentId, state }: Pick<LeaseQuery, 'viewerId' | 'contentId' | 'state'>,
  signal?: AbortSignal,
): Promise<LeaseCounts> {
  // Every page has the full counts, so the smallest page is enough.
  const query = { viewerId, contentId, state, limit: 1 };
  const page = await api.request<{ total_active: number; total: number }>('GET', path, {
    query,
    signal,
  });
  return { active: page.total_active, total: page.total };
}

/** The exact number of active leases. */
export async function countActiveLeases(
  api: Api,
  { viewerId, contentId }: LeaseSelector,
  signal?: AbortSignal,
): Promise<number> {
  return (await countLeases(api, { viewerId, contentId }, signal)).active;
}

export async function readLease(api: Api, id: string, signal?: AbortSignal): Promise<Lease> {
  const { lease } = await api.request<{ lease: Lease }>('GET', `${path}/${encodeURIComponent(id)}`, {
    signal,
  });
  return lease;
}

/** What a revocation ends: one lease, or all leases of a viewer, of a content or of the pair. */
export type RevocationTarget =
  | { leaseId: string }
  | { viewerId: string; contentId?: string }
  | { contentId: string };

export interface Revocation extends Applied {
  /** Number of newly revoked leases, as far as they were counted. */
  revoked: number;
  /** Present if more leases were revoked than were counted. */
  more?: true;
}

/**
 * @param reason up to 500 characters, or null
 * @param query `untilApplied` for an answer that waits
 */
export function revokeLeases(
  api: Api,
  target: RevocationTarget,
  reason: string | null,
  query: Partial<typeof untilApplied> = {},
): Promise<Revocation> {
  const body = reason === null ? target : { ...target, reason };
  return api.request('POST', '/keys/leases/revoke', { body, query });
}
