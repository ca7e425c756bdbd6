import { adminKey, becomesReady, type Subject, startServer, tokenSecret } from '../servers.ts';

/** INTERNAL_SECRET. */
export const internalSecret = 'a-secret-between-the-services-of-a-measurement';

/** The services that own what key-derivation asks for: one process of each. */
export interface Owners {
  servers: Record<'auth' | 'content' | 'leases', Subject>;
  /** Where they are, as variables of those who ask them. */
  urls: Record<string, string>;
}

const common = {
  INTERNAL_SECRET: internalSecret,
  METRICS_PORT: '0',
  SHUTDOWN_DRAIN_SECONDS: '0',
  LOG_LEVEL: 'error',
};

/** @param backings DATABASE_URL, REDIS_URL and NATS_URL; only the first is needed */
export async function startOwners(backings: Readonly<Record<string, string>>): Promise<Owners> {
  const env = { ...common, ...backings, AUTH_JWT_SECRET: tokenSecret };
  const start = (name: string, more: Record<string, string>) =>
    startServer(name, `../../services/${name}/src/serve.ts`, { ...env, ...more });
  const auth = await start('auth', { ADMIN_API_KEY: adminKey });
  const content = await start('content', { AUTH_SERVICE_URL: auth.url });
  const urls = { AUTH_SERVICE_URL: auth.url, CONTENT_SERVICE_URL: content.url };
  const leases = await start('leases', urls);
  const servers = { auth, content, leases };
  for (const { url } of Object.values(servers)) await becomesReady(url);
  return { servers, urls: { ...urls, LEASES_SERVICE_URL: leases.url } };
}

/** Not ready yet. */
export function startKeyDerivation(
  name: string,
  owners: Owners,
  { REDIS_URL, NATS_URL }: Readonly<Record<string, string>>,
): Promise<Subject> {
  return startServer(name, '../../services/key-derivation/src/serve.ts', {
    ...common,
    ...owners.urls,
    ...(REDIS_URL ? { REDIS_URL } : {}),
    ...(NATS_URL ? { NATS_URL } : {}),
    AUTH_JWT_SECRET: tokenSecret,
    MASTER_KEY_HEX: '1'.repeat(64),
    SALT_HEX: '2'.repeat(64),
  });
}

/** Not ready yet. */
export function startGateway(
  name: string,
  owners: Owners,
  keyDerivation: readonly Subject[],
): Promise<Subject> {
  return startServer(name, '../../gateway/src/main.ts', {
    ...common,
    ...owners.urls,
    // Its request log is a part of what a key request costs.
    LOG_LEVEL: 'info',
    KEY_DERIVATION_SERVICE_URL: keyDerivation.map(({ url }) => url).join(','),
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
