import {
  connectRedis,
  createRedisStateStore,
  RecentChanges,
  type RedisConnection,
  type StateStore,
} from '../replicas/index.ts';
import { createSeal } from '../seal/index.ts';
import type { ProcessBase } from './process-context.ts';

/** Changes remembered to judge shared states by: minutes of a busy day, some 4 MB. */
const rememberedChanges = 20_000;

/** What the replicas of a service share, and what it is judged by. */
export interface Sharing {
  /** For what else is counted together: rate limits. */
  connection: RedisConnection;
  states: StateStore;
  recent: RecentChanges;
}

/** The single node has none of these variables. */
export type StateStoreSettings =
  | { redisUrl?: undefined }
  | { redisUrl?: { reveal(): string } | undefined; internalSecret: { reveal(): string } };

/** The states that replicas share through Redis; null where `REDIS_URL` is not set, and each keeps its own. */
export function connectStateStore(
  values: StateStoreSettings,
  { warn, shutdown, dependencies }: ProcessBase,
): Sharing | null {
  if (!values.redisUrl) {
    dependencies.push({ name: 'cache', check: async () => ({ kind: 'in-process' }) });
    return null;
  }
  const onFault = (error: unknown) => warn('the shared cache', error);
  const connection = connectRedis(values.redisUrl.reveal(), onFault);
  shutdown.add('the shared cache', 1_000, () => connection.close());
  dependencies.push({
    name: 'cache',
    // Losing it makes a replica ask the lease service instead.
    optional: true,
    check: async () => {
      if (!connection.isUp()) throw new Error('Redis cannot be used');
      return { kind: 'redis' };
    },
  });
  return {
    connection,
    states: createRedisStateStore(connection, createSeal(values.internalSecret.reveal()), onFault),
    recent: new RecentChanges(rememberedChanges),
  };
}
