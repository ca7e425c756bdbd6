import type { ImportedKeyName, LeaseState } from '../contracts/index.ts';
import type { Change } from '../events/index.ts';

export type CacheName = 'apiKeys' | 'contents' | 'importedKeys' | 'leases' | 'marks';

/** A change names entries by tags: a lease has tags for its id, its viewer, its content, and the pair of both. */
export interface CacheTag {
  cache: CacheName;
  tag: string;
}

/** The cache key of a pair's mark. A content id has no white space, so the first one ends it. */
export function markKey(viewerId: string, contentId: string): string {
  return `${contentId} ${viewerId}`;
}

export function splitMarkKey(key: string): [viewerId: string, contentId: string] {
  const space = key.indexOf(' ');
  return [key.slice(space + 1), key.slice(0, space)];
}

/**
 * The cache key of an imported key. It has the revision of the content's imported keys, so an entry never becomes wrong: after a change the
 * content has another revision, and its keys have other names.
 */
export function importedKeyName(contentId: string, epoch: number | undefined, revision: number): string {
  return epoch === undefined ? `${revision} ${contentId}` : `${revision} ${contentId}/${epoch}`;
}

/** A content id has neither white space nor a slash. */
export function splitImportedKey(name: string): ImportedKeyName {
  const [contentId = '', epoch] = name.slice(name.indexOf(' ') + 1).split('/');
  return { contentId, epoch: epoch === undefined ? null : Number(epoch) };
}

/** Every tag by which a change may name a cached lease. */
export function leaseTags(leaseId: string, lease: LeaseState | null): string[] {
  return lease ? [leaseId, ...pairTags(lease.viewerId, lease.contentId)] : [leaseId];
}

/** Every tag by which a change may name a cached mark. */
export function markTags(key: string): string[] {
  return pairTags(...splitMarkKey(key));
}

/** The entries that a change names, for each cache. */
export function namedBy(change: Change): CacheTag[] {
  if (change.kind === 'api-key') return [{ cache: 'apiKeys', tag: change.keyHash }];
  if (change.kind === 'content') return [{ cache: 'contents', tag: change.contentId }];
  const marked = selectorTag(change.viewerId, change.contentId);
  const leases = change.leaseId ?? marked;
  return [
    ...(leases === null ? [] : [{ cache: 'leases', tag: leases } as const]),
    ...(marked === null ? [] : [{ cache: 'marks', tag: marked } as const]),
  ];
}

function pairTags(viewerId: string, contentId: string): string[] {
  return [`viewer:${viewerId}`, `content:${contentId}`, `pair:${markKey(viewerId, contentId)}`];
}

function selectorTag(viewerId: string | null, contentId: string | null): string | null {
  if (viewerId !== null && contentId !== null) return `pair:${markKey(viewerId, contentId)}`;
  if (viewerId !== null) return `viewer:${viewerId}`;
  return contentId === null ? null : `content:${contentId}`;
}
