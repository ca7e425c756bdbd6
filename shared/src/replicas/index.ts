export { createLeasePublisher, type LeasePublisher, type PublishedLease } from './lease-publisher.ts';
export { createSharedLeaseSource, type OwnerLeaseReader, type SharedLeases } from './lease-source.ts';
export { RecentChanges } from './recent-changes.ts';
export { connectRedis, type RedisConnection, redisTlsVariables, usualLimits } from './redis-connection.ts';
export { createRedisStateStore, type StateStore } from './state-store.ts';
export { traceCommands } from './trace-commands.ts';
