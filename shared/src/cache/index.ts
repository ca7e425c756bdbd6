export { type Authority, apiKeyCacheKey, type CacheName, createAuthority } from './authority.ts';
export {
  AuthorityCache,
  type AuthorityCacheOptions,
  type Flight,
  Held,
  type Known,
} from './authority-cache.ts';
export {
  boundCaches,
  type CachePlan,
  planCaches,
  readProcessMemory,
  usualCachesBytes,
} from './cache-memory.ts';
export { mayHaveBeenRenewed } from './expired-lease.ts';
export { copyText, mapSlotBytes, textBytes } from './memory-size.ts';
export { type Kept, RecencyMap } from './recency-map.ts';
export { RecentChanges, type Stamp } from './recent-changes.ts';
export { connectRedis, type RedisConnection } from './redis-connection.ts';
export { createRedisStates } from './redis-states.ts';
export { shareLeases } from './share-leases.ts';
export type { SharedLeases, StampedLeaseReader } from './shared-leases.ts';
export type { SharedEntry, SharedKind, SharedStates } from './shared-states.ts';
export type { Stamped } from './stamped-reader.ts';
export { markKey } from './tags.ts';
export { TextPool } from './text-pool.ts';
