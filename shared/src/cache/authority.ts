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
import { createSharedLeaseReaders, type SharedLeases } from './shared-leases.ts';
import { leaseTags, markTags, namedBy, splitMarkKey } from './tags.ts';

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
  /** The lease service, or what several replicas share of it. */
  leases: LeaseReader | SharedLeases;
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
  const loads = loadsOf(leases, follower, clock);
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
      load: loads.lease,
      tagsOf: leaseTags,
    }),
    marks: new AuthorityCache({
      ...common('marks'),
      load: loads.mark,
      tagsOf: markTags,
    }),
  };
  follower.onChange((change) => {
    if (change === null) for (const cache of Object.values(authority)) cache.clear();
    else for (const { cache, tag } of namedBy(change)) authority[cache].invalidate(tag);
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

/** How leases are loaded by their id and marks by `markKey`. */
function loadsOf(leases: LeaseReader | SharedLeases, follower: FeedFollower, clock: Clock) {
  if ('states' in leases) {
    const { lease, mark } = createSharedLeaseReaders(leases, follower, clock);
    return { lease: (leaseId: string) => lease.load(leaseId), mark: (key: string) => mark.load(key) };
  }
  return {
    lease: (leaseId: string) => leases.findLease(leaseId),
    mark: (key: string) => leases.findMark(...splitMarkKey(key)),
  };
}
