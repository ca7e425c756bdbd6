import type { Clock } from '../clock/clock.ts';
import type {
  ApiKeyState,
  ApiKeyVerifier,
  ContentReader,
  ContentState,
  ImportedKeyReader,
  LeaseState,
  MarkState,
} from '../contracts/index.ts';
import type { Bus, Change, FeedFollower } from '../events/index.ts';
import {
  numberBytes,
  objectBytes,
  planCaches,
  TextPool,
  textBytes,
  usualCachesBytes,
} from '../memory/index.ts';
import { AuthorityCache, type EarlierState } from './authority-cache.ts';
import { keepLease, keptLeaseBytes } from './kept-lease.ts';
import { type CacheName, markKey, splitImportedKey, splitMarkKey } from './tags.ts';

/** Every state that a decision needs, kept current by one change feed. */
export interface Authority {
  /** By `apiKeyCacheKey`. */
  apiKeys: AuthorityCache<ApiKeyState>;
  /** By content id. */
  contents: AuthorityCache<ContentState>;
  /**
   * By `importedKeyName`: 48 hex digits, or none where the derived key is served. No change names an entry, because a change of the keys of
   * a content gives its entries other names.
   */
  importedKeys: AuthorityCache<string>;
  /** By lease id. */
  leases: AuthorityCache<LeaseState>;
  /** By `markKey(viewerId, contentId)`: the latest mark that covers the pair, and the block of the viewer. */
  marks: AuthorityCache<MarkState>;
}

/** Where leases and marks are loaded from: the lease service, or the state that several replicas share. */
export interface LeaseSource {
  /** Same as `LeaseReader.findLease`. */
  findLease(leaseId: string): Promise<LeaseState | null | EarlierState<LeaseState>>;
  /** Same as `LeaseReader.findMark`. */
  findMark(viewerId: string, contentId: string): Promise<MarkState | null | EarlierState<MarkState>>;
}

export interface AuthorityOptions {
  apiKeys: ApiKeyVerifier;
  contents: ContentReader;
  /** Left out where the process decides about no keys. */
  importedKeys?: ImportedKeyReader;
  leases: LeaseSource;
  follower: FeedFollower;
  bus: Bus;
  clock: Clock;
  onLookup?: (cache: CacheName, hit: boolean) => void;
  /** Memory limits of the caches, in bytes. */
  cacheBytes?: Readonly<Record<CacheName, number>>;
  /** Same as in `AuthorityCacheOptions`. */
  namedSelectors?: number;
}

/** Bytes of a value in addition to its name: its fields, an id of 36 characters, and a number object for each time. */
const apiKeyBytes = 160;
const contentBytes = objectBytes(5);
/** Six members, of which two may be fractions or times: each a number object. */
const keyPeriodsBytes = objectBytes(6) + 2 * numberBytes(0.5);
/** Bytes for content ids that leases have in common: 10,000 ids. */
const contentIdsBytes = 512 * 1_024;
/** Prefix for the hash of a value that lacks the form of a stored key. The database is not asked about such a value. */
const malformed = '?';

/** Cache key of an API key: the SHA-256 of the presented value (64 hex digits), and whether the value had the right form. */
export function apiKeyCacheKey(keyHash: string, wellFormed: boolean): string {
  return wellFormed ? keyHash : malformed + keyHash;
}

function hashOf(key: string): string {
  return key.startsWith(malformed) ? key.slice(malformed.length) : key;
}

function bytesOfContent({ keyPeriods, playlistUrl }: ContentState): number {
  const playlistBytes = playlistUrl === undefined ? 0 : textBytes(playlistUrl);
  return contentBytes + (keyPeriods ? keyPeriodsBytes : 0) + playlistBytes;
}

function bytesOfMark(state: MarkState): number {
  if (typeof state === 'number') return numberBytes(state);
  return objectBytes(2) + numberBytes(state.markedAt) + numberBytes(state.blockedUntil);
}

/** Of a process that reads no imported keys. */
const noImportedKeys: ImportedKeyReader = {
  findImportedKey: () => Promise.reject(new Error('this process reads no imported keys')),
};

export function createAuthority(options: AuthorityOptions): Authority {
  const {
    apiKeys,
    contents,
    importedKeys = noImportedKeys,
    leases,
    follower,
    bus,
    clock,
    onLookup,
    namedSelectors,
  } = options;
  const cacheBytes = options.cacheBytes ?? planCaches(usualCachesBytes);
  const common = (name: CacheName) => ({
    maxBytes: cacheBytes[name],
    feed: follower,
    clock,
    ...(namedSelectors === undefined ? {} : { namedSelectors }),
    ...(onLookup ? { onLookup: (hit: boolean) => onLookup(name, hit) } : {}),
  });
  const contentIds = new TextPool(contentIdsBytes);
  const authority: Authority = {
    apiKeys: new AuthorityCache({
      ...common('apiKeys'),
      load: (key) => apiKeys.findApiKey(hashOf(key), !key.startsWith(malformed)),
      // The patterns are kept as they came and as `createContentPatterns` reads them.
      bytesOf: (state) =>
        ('contents' in state ? state.contents : []).reduce(
          (sum, text) => sum + 2 * textBytes(text),
          apiKeyBytes + textBytes(state.name),
        ),
      // A bootstrap key is not stored. Its owner may start again with another one, and the feed then names neither of them.
      outsideFeed: {
        includes: (state) => state === null || state.id === null,
        maxAgeMs: follower.limitMs,
      },
    }),
    contents: new AuthorityCache({
      ...common('contents'),
      load: (contentId) => contents.findContent(contentId),
      bytesOf: bytesOfContent,
    }),
    importedKeys: new AuthorityCache({
      ...common('importedKeys'),
      load: (name) => importedKeys.findImportedKey(splitImportedKey(name)),
      bytesOf: textBytes,
    }),
    leases: new AuthorityCache({
      ...common('leases'),
      load: (leaseId) => leases.findLease(leaseId),
      bytesOf: keptLeaseBytes,
      // Thousands of leases name the same content, so its id is kept once.
      keep: (lease, facts) => keepLease(lease, contentIds.share(lease.contentId), facts),
      isNamed: (named, _leaseId, lease, step) =>
        lease !== null && named.namedSince(lease.viewerId, lease.contentId, step),
    }),
    marks: new AuthorityCache({
      ...common('marks'),
      load: (key) => leases.findMark(...splitMarkKey(key)),
      bytesOf: bytesOfMark,
      isNamed: (named, key, _mark, step) => named.namedSince(...splitMarkKey(key), step),
    }),
  };
  follower.onChange((change) => {
    if (change === null) for (const cache of Object.values(authority)) cache.clear();
    else forget(authority, change);
  });
  // Renewals are not in the change feed. A renewal that is received makes the next request read the lease again.
  bus.subscribe((message) => {
    if (message.type === 'renewal') authority.leases.invalidate(message.leaseId);
  });
  return authority;
}

/** Drops the entries that a change names. */
function forget(authority: Authority, change: Change): void {
  if (change.kind === 'content') authority.contents.invalidate(change.contentId);
  else if (change.kind === 'api-key') {
    for (const wellFormed of [true, false])
      authority.apiKeys.invalidate(apiKeyCacheKey(change.keyHash, wellFormed));
  } else {
    const { leaseId, viewerId, contentId } = change;
    if (leaseId !== null) authority.leases.invalidate(leaseId);
    if (viewerId === null && contentId === null) return;
    if (leaseId === null) authority.leases.invalidateSelector(viewerId, contentId);
    if (viewerId !== null && contentId !== null) authority.marks.invalidate(markKey(viewerId, contentId));
    else authority.marks.invalidateSelector(viewerId, contentId);
  }
}
