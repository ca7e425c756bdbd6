import {
  connectRedis,
  createRedisStateStore,
  RecentChanges,
  type RedisConnection,
  redisTlsVariables,
  type StateStore,
  traceCommands,
  usualLimits,
} from '../replicas/index.ts';
import { acceptedSecrets, type Revealable } from '../seal/accepted-secrets.ts';
import { createSeal } from '../seal/seal.ts';
import { TlsRefused } from '../tls/index.ts';
import { cacheFaultMessage } from './lost-service.ts';
import { openStoreTls } from './open-tls.ts';
import type { ProcessBase } from './process-context.ts';

/** Maximum changes remembered for judging shared states: minutes of a busy day, some 4 MB. */
const rememberedChanges = 20_000;

/** The states that the replicas of a service share, and the record that judges them. */
export interface Sharing {
  /** For other shared counts: rate limits. */
  connection: RedisConnection;
  states: StateStore;
  recent: RecentChanges;
}

/** The single node has none of these variables. */
export type StateStoreSettings =
  | { redisUrl?: undefined }
  | {
      redisUrl?: { reveal(): string } | undefined;
      redisCaFile?: string | undefined;
      redisCertFile?: string | undefined;
      redisKeyFile?: string | undefined;
      internalSecret: Revealable<string>;
      internalSecretPrevious?: Revealable<readonly string[]>;
    };

/** The states that replicas share through Redis; null where `REDIS_URL` is not set, and each replica keeps its own. */
export function connectStateStore(values: StateStoreSettings, base: ProcessBase): Sharing | null {
  const { warn, shutdown, dependencies, tracer } = base;
  if (!values.redisUrl) {
    dependencies.push({ name: 'cache', check: async () => ({ kind: 'in-process' }) });
    return null;
  }
  let fault: unknown;
  const onFault = (error: unknown) => warn(cacheFaultMessage, error);
  const onOutage = (error: unknown) => {
    fault = error;
    onFault(error);
  };
  const { redisCaFile: ca, redisCertFile: cert, redisKeyFile: key } = values;
  const tls = openStoreTls('Redis', redisTlsVariables, { ca, cert, key }, base);
  const connection = connectRedis(values.redisUrl.reveal(), onOutage, usualLimits, tls);
  if (tracer) traceCommands(connection.redis, tracer);
  shutdown.add('the shared cache', 1_000, () => connection.close());
  dependencies.push({
    name: 'cache',
    // Without it, a replica calls the lease service instead.
    optional: true,
    check: async () => {
      if (!connection.isUp())
        throw fault instanceof TlsRefused ? fault : new Error('Redis cannot be used', { cause: fault });
      return { kind: 'redis' };
    },
  });
  const seal = createSeal(acceptedSecrets(values.internalSecret, values.internalSecretPrevious));
  return {
    connection,
    states: createRedisStateStore(connection, seal, onFault),
    recent: new RecentChanges(rememberedChanges),
  };
}
