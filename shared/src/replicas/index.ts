export { createLeasePublisher, type LeasePublisher, type PublishedLease } from './lease-publisher.ts';
export { createSharedLeaseSource, type OwnerLeaseReader, type SharedLeases } from './lease-source.ts';
export { type FeedStamp, RecentChanges } from './recent-changes.ts';
export { connectRedis, type RedisConnection } from './redis-connection.ts';
export { createRedisStateStore } from './redis-state-store.ts';
export type { OwnerAnswer } from './shared-state-reader.ts';
export type { StateKind, StateStore, StoredState } from './state-store.ts';
