import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { environmentOf, type ServiceName, type StoreKind, topology } from '@latchkey/support/stack/topology';
import { adminKey, becomesReady, type Subject, startServer, tokenSecret } from '../servers.ts';

/** INTERNAL_SECRET. */
export const internalSecret = 'a-secret-between-the-services-of-a-measurement';

/** One process of each service that key-derivation reads from. */
export interface Owners {
  servers: Record<'auth' | 'content' | 'leases', Subject>;
}

type Urls = Partial<Record<ServiceName | StoreKind, string>>;

const settings: Environment = {
  INTERNAL_SECRET: internalSecret,
  ADMIN_API_KEY: adminKey,
  AUTH_JWT_SECRET: tokenSecret,
  MASTER_KEY_HEX: '1'.repeat(64),
  SALT_HEX: '2'.repeat(64),
  SHUTDOWN_DRAIN_SECONDS: '0',
  LOG_LEVEL: 'error',
};

function urlsOfStores({ DATABASE_URL, REDIS_URL, NATS_URL }: Environment): Urls {
  const urls = { postgres: DATABASE_URL, redis: REDIS_URL, nats: NATS_URL };
  return Object.fromEntries(Object.entries(urls).filter(([, url]) => url !== undefined));
}

function urlsOfOwners({ servers }: Owners): Urls {
  const { auth, content, leases } = servers;
  return { auth: auth.url, content: content.url, leases: leases.url };
}

/**
 * @param backings DATABASE_URL, and optionally REDIS_URL and NATS_URL
 * @param further settings of each
 */
export async function startOwners(backings: Environment, further: Environment = {}): Promise<Owners> {
  const stores = urlsOfStores(backings);
  const start = (name: 'auth' | 'content' | 'leases', urls: Urls) =>
    startServer(
      name,
      topology[name].entry,
      environmentOf(name, { ...stores, ...urls }, { ...settings, ...further }),
    );
  const auth = await start('auth', {});
  const content = await start('content', { auth: auth.url });
  const leases = await start('leases', { auth: auth.url, content: content.url });
  const servers = { auth, content, leases };
  for (const { url } of Object.values(servers)) await becomesReady(url);
  return { servers };
}

/** Does not wait until it is ready. */
export function startKeyDerivation(name: string, owners: Owners, backings: Environment): Promise<Subject> {
  const urls = { ...urlsOfStores(backings), ...urlsOfOwners(owners) };
  const kind = 'key-derivation';
  return startServer(name, topology[kind].entry, environmentOf(kind, urls, settings));
}

/** Does not wait until it is ready. */
export function startPlayback(owners: Owners, backings: Environment, further: Environment): Promise<Subject> {
  const urls = { ...urlsOfStores(backings), ...urlsOfOwners(owners) };
  const env = environmentOf('playback', urls, { ...settings, ...further });
  return startServer('playback', topology.playback.entry, env);
}

/** Does not wait until it is ready. */
export function startGateway(
  name: string,
  owners: Owners,
  keyDerivation: readonly Subject[],
  further: Environment = {},
): Promise<Subject> {
  const replicas = keyDerivation.map(({ url }) => url).join(',');
  const env = environmentOf('gateway', { ...urlsOfOwners(owners), 'key-derivation': replicas }, settings);
  // The request log is a part of the cost of a key request.
  return startServer(name, topology.gateway.entry, { ...env, LOG_LEVEL: 'info', ...further });
}

/** The gateway and key-derivation in one process. Does not wait until it is ready. */
export function startEdge(name: string, owners: Owners, backings: Environment): Promise<Subject> {
  const urls = { ...urlsOfStores(backings), ...urlsOfOwners(owners) };
  return startServer(name, topology.edge.entry, {
    ...environmentOf('edge', urls, settings),
    LOG_LEVEL: 'info',
  });
}

/** Gateways before replicas of key-derivation. */
export interface DataPlane {
  gateways: Subject[];
  replicas: Subject[];
  stop(): Promise<void>;
}

/** Starts them at once and waits until all are ready. */
export async function startDataPlane(
  counts: { gateways: number; replicas: number },
  owners: Owners,
  backings: Readonly<Record<string, string>>,
): Promise<DataPlane> {
  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${name} ${n + 1}`);
  const replicas = await Promise.all(
    numbered('key-derivation', counts.replicas).map((name) => startKeyDerivation(name, owners, backings)),
  );
  const gateways = await Promise.all(
    numbered('gateway', counts.gateways).map((name) => startGateway(name, owners, replicas)),
  );
  for (const { url } of [...replicas, ...gateways]) await becomesReady(url);
  return {
    gateways,
    replicas,
    stop: async () => void (await Promise.all([...gateways, ...replicas].map((server) => server.stop()))),
  };
}
