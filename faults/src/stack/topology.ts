/** Made once at random: production, which these processes run as, refuses what can be guessed. */
const madeUp = {
  adminKey: 'c1d42f8a7be905364f1e8da2b07c6395e84a1bf0d7236c59a8e40f1b7d92c635',
  masterKey: '9e27b4f0a1583cd6e7042b8f5d19ac63708ef4b2159dca3608b7e1f2543d9ac0',
  salt: '5af08c3be1d7924603c8fb75ad1e2964b0f7c8315e9ad2476b8c03f1e5a7d29e',
} as const;

/** The secret between the services. */
export const internalSecret = 'a-secret-of-the-fault-tests-0123456789abcdef';
/** AUTH_JWT_SECRET. */
export const tokenSecret = 'the secret of the fault tests, 32 octets or more';
/** ADMIN_API_KEY. */
export const adminKey = `lk_${madeUp.adminKey}`;

export type ServiceName = 'auth' | 'content' | 'leases' | 'keys';
export type BackingName = 'postgres' | 'redis' | 'nats';

/** How many processes of each there are. */
export type Replicas = Readonly<Record<ServiceName | 'gateway', number>>;

/** The entry file of each process, from the root of the repository. */
export const entries: Record<ServiceName | 'gateway', string> = {
  auth: 'services/auth/src/serve.ts',
  content: 'services/content/src/serve.ts',
  leases: 'services/leases/src/serve.ts',
  keys: 'services/key-derivation/src/serve.ts',
  gateway: 'gateway/src/main.ts',
};
/** What each service stands on. */
export const backingsOf: Record<ServiceName, BackingName[]> = {
  auth: ['postgres', 'redis', 'nats'],
  content: ['postgres', 'redis', 'nats'],
  leases: ['postgres', 'redis', 'nats'],
  keys: ['redis', 'nats'],
};
/** Whom each service asks. */
export const neighboursOf: Record<ServiceName, ServiceName[]> = {
  auth: [],
  content: ['auth'],
  leases: ['auth', 'content'],
  keys: ['leases', 'auth', 'content'],
};
/** Where a service's address is configured. */
export const urlVariables: Record<ServiceName, string> = {
  auth: 'AUTH_SERVICE_URL',
  content: 'CONTENT_SERVICE_URL',
  leases: 'LEASES_SERVICE_URL',
  keys: 'KEY_DERIVATION_SERVICE_URL',
};
/** How a backing server on a port of this machine is configured. */
export const backingUrls: Record<BackingName, (port: number) => [variable: string, url: string]> = {
  postgres: (port) => ['DATABASE_URL', `postgres://postgres@127.0.0.1:${port}/postgres`],
  redis: (port) => ['REDIS_URL', `redis://127.0.0.1:${port}`],
  nats: (port) => ['NATS_URL', `nats://127.0.0.1:${port}`],
};

/** What each process alone is told. */
export const secrets: Record<ServiceName | 'gateway', Record<string, string>> = {
  auth: { ADMIN_API_KEY: adminKey, AUTH_JWT_SECRET: tokenSecret },
  content: { AUTH_JWT_SECRET: tokenSecret },
  leases: { AUTH_JWT_SECRET: tokenSecret },
  keys: { AUTH_JWT_SECRET: tokenSecret, MASTER_KEY_HEX: madeUp.masterKey, SALT_HEX: madeUp.salt },
  gateway: {},
};
