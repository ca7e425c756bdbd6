import { randomUUID } from 'node:crypto';
import type { cacheAndBusVariables, internalVariables, Values } from '../config/index.ts';
import { type Bus, createInProcessBus } from '../events/index.ts';
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
import { acceptedSecrets } from '../seal/accepted-secrets.ts';
import { createSeal } from '../seal/seal.ts';
import { TlsRefused } from '../tls/index.ts';
import { busFaultMessage, cacheFaultMessage } from './lost-service.ts';
import { openStoreTls } from './open-tls.ts';
import type { ProcessBase } from './process-context.ts';

/** The settings of Redis and NATS. The single node has none of them. */
export type StoreSettings =
  | { natsUrl?: undefined; redisUrl?: undefined }
  | Values<typeof cacheAndBusVariables & typeof internalVariables>;

const natsTlsVariables = { ca: 'NATS_CA_FILE', cert: 'NATS_CERT_FILE', key: 'NATS_KEY_FILE' };

/** The bus of a process. Without NATS it carries messages within the process only, and other processes pull the feed. */
export async function connectBus(name: string, values: StoreSettings, base: ProcessBase): Promise<Bus> {
  const { warn, shutdown, dependencies, tracer } = base;
  let fault: unknown;
  const onFault = (error: unknown) => {
    fault = error;
    warn(busFaultMessage, error);
  };
  if (!values.natsUrl) {
    dependencies.push({ name: 'bus', check: async () => ({ kind: 'in-process' }) });
    return createInProcessBus(onFault);
  }
  const { natsCaFile: ca, natsCertFile: cert, natsKeyFile: key } = values;
  const tls = openStoreTls('NATS', natsTlsVariables, { ca, cert, key }, base);
  // Its client is loaded only if it is used: it takes 3 MB and 20 ms of a start.
  const { createNatsBus } = await import('../events/nats-bus.ts');
  const bus = createNatsBus({
    url: values.natsUrl.reveal(),
    access: { tls, credentials: values.natsCredentials?.reveal(), nkey: values.natsNkey?.reveal() },
    name: `latchkey ${name}`,
    origin: randomUUID(),
    tracer,
    seal: createSeal(acceptedSecrets(values.internalSecret, values.internalSecretPrevious)),
    onFault,
  });
  shutdown.add('the bus', 2_000, () => bus.close());
  dependencies.push({
    name: 'bus',
    // Without it, changes arrive by the pull of the feed, within a second instead of milliseconds.
    optional: true,
    check: async () => {
      if (bus.state() === 'down') throw explainOutage('not connected to NATS', fault);
      return { kind: 'nats' };
    },
  });
  return bus;
}

/** Maximum changes remembered for judging shared states: minutes of a busy day, some 4 MB. */
const rememberedChanges = 20_000;

/** The states that the replicas of a service share, and the record that judges them. */
export interface Sharing {
  /** For other shared counts: rate limits. */
  connection: RedisConnection;
  states: StateStore;
  recent: RecentChanges;
}

/** The states that replicas share through Redis; null where `REDIS_URL` is not set, and each replica keeps its own. */
export function connectStateStore(values: StoreSettings, base: ProcessBase): Sharing | null {
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
      if (!connection.isUp()) throw explainOutage('Redis cannot be used', fault);
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

/** A refused certificate is told to callers of `/ready`; of another fault only that there is one. */
const explainOutage = (message: string, fault: unknown) =>
  fault instanceof TlsRefused ? fault : new Error(message, { cause: fault });
