import type { Clock } from '../clock/index.ts';
import type {
  ApiKeyState,
  ApiKeyVerifier,
  ContentReader,
  ContentState,
  LeaseReader,
  LeaseState,
} from '../contracts/index.ts';
import type { Bus, FeedFollower } from '../events/index.ts';
import { AuthorityCache } from './authority-cache.ts';

/** Entries of each cache. An entry takes some 300 to 600 bytes with its index, so a full cache stays near 100 MB. */
const capacities = { apiKeys: 10_000, contents: 50_000, leases: 200_000, marks: 200_000 };

export type CacheName = keyof typeof capacities;

/** Everything a decision rests on, kept true by one change feed. */
export interface Authority {
  /** By `apiKeyCacheKey`. */
  apiKeys: AuthorityCache<ApiKeyState>;
  /** By content id. */
  contents: AuthorityCache<ContentState>;
  /** By lease id. */
  leases: AuthorityCache<LeaseState>;
  /** By `markKey(viewerId, contentId)`: the time of the latest mark that covers the pair. */
  marks: AuthorityCache<number>;
}

export interface AuthorityOptions {
  apiKeys: ApiKeyVerifier;
  contents: ContentReader;
  leases: LeaseReader;
  follower: FeedFollower;
  bus: Bus;
  clock: Clock;
  onLookup?: (cache: CacheName, hit: boolean) => void;
}

/** Before the hash of a value that has not the form of a stored key, for which no database is asked. */
const malformed = '?';

/** The key of the cached API key: the SHA-256 of the presented value, 64 hex digits, and whether it had the right form. */
export function apiKeyCacheKey(keyHash: string, wellFormed: boolean): string {
  return wellFormed ? keyHash : malformed + keyHash;
}

function hashOf(key: string): string {
  return key.startsWith(malformed) ? key.slice(malformed.length) : key;
}

/** The key of the cached mark of a pair. A content id has no white space, so the first one ends it. */
export function markKey(viewerId: string, contentId: string): string {
  return `${contentId} ${viewerId}`;
}

export function createAuthority({
  apiKeys,
  contents,
  leases,
  follower,
  bus,
  clock,
  onLookup,
}: AuthorityOptions): Authority {
  const common = (name: CacheName) => ({
    capacity: capacities[name],
    feed: follower,
    clock,
    ...(onLookup ? { onLookup: (hit: boolean) => onLookup(name, hit) } : {}),
  });
  const authority: Authority = {
    apiKeys: new AuthorityCache({
      ...common('apiKeys'),
      load: (key) => apiKeys.findApiKey(hashOf(key), !key.startsWith(malformed)),
      tagsOf: (key) => [hashOf(key)],
    }),
    contents: new AuthorityCache({
      ...common('contents'),
      load: (contentId) => contents.findContent(contentId),
      tagsOf: (contentId) => [contentId],
    }),
    leases: new AuthorityCache({
      ...common('leases'),
      load: (leaseId) => leases.findLease(leaseId),
      tagsOf: (leaseId, lease) =>
        lease ? [leaseId, ...pairTags(lease.viewerId, lease.contentId)] : [leaseId],
    }),
    marks: new AuthorityCache({
      ...common('marks'),
      load: (key) => leases.findMark(...splitMarkKey(key)),
      tagsOf: (key) => pairTags(...splitMarkKey(key)),
    }),
  };
  follower.onChange((change) => {
    if (change === null) for (const cache of Object.values(authority)) cache.clear();
    else if (change.kind === 'api-key') authority.apiKeys.invalidate(change.keyHash);
    else if (change.kind === 'content') authority.contents.invalidate(change.contentId);
    else {
      const tag = change.leaseId ?? selectorTag(change.viewerId, change.contentId);
      if (tag) authority.leases.invalidate(tag);
      const marked = selectorTag(change.viewerId, change.contentId);
      if (marked) authority.marks.invalidate(marked);
    }
  });
  // Renewals are not in the feed, because losing one is safe: a lease that looks expired is read again. Where one is
  // heard of, it is read again at once.
  bus.subscribe((message) => {
    if (message.type !== 'notice') return;
    const { topic, event, data } = message.notice;
    if (topic === 'lease' && event === 'renewed' && typeof data.id === 'string')
      authority.leases.invalidate(data.id);
  });
  return authority;
}

function splitMarkKey(key: string): [viewerId: string, contentId: string] {
  const space = key.indexOf(' ');
  return [key.slice(space + 1), key.slice(0, space)];
}

function pairTags(viewerId: string, contentId: string): string[] {
  return [`viewer:${viewerId}`, `content:${contentId}`, `pair:${markKey(viewerId, contentId)}`];
}

function selectorTag(viewerId: string | null, contentId: string | null): string | null {
  if (viewerId !== null && contentId !== null) return `pair:${markKey(viewerId, contentId)}`;
  if (viewerId !== null) return `viewer:${viewerId}`;
  return contentId === null ? null : `content:${contentId}`;
}
