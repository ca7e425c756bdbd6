import type { Environment } from '../processes/spawn-entry.ts';

export type ServiceName = 'auth' | 'content' | 'leases' | 'key-derivation' | 'playback';
/** A service of the distributed profile, the gateway before them, or the edge, which is the gateway with key-derivation. */
export type ProcessKind = ServiceName | 'gateway' | 'edge';
export type StoreKind = 'postgres' | 'redis' | 'nats';

interface ProcessDescription {
  /** The file that it runs, relative to the root of the repository. */
  entry: string;
  stores: readonly StoreKind[];
  calls: readonly ServiceName[];
  /** The secrets that only some processes get, as in compose.yaml. */
  secrets: readonly string[];
}

const everyStore: readonly StoreKind[] = ['postgres', 'redis', 'nats'];

const tokenSecrets = ['AUTH_JWT_SECRET', 'AUTH_JWT_SECRET_PREVIOUS', 'AUTH_ISSUERS'];

/** The distributed profile: each process's file, stores, calls and secrets. */
export const topology: Readonly<Record<ProcessKind, ProcessDescription>> = {
  auth: {
    entry: 'services/auth/src/serve.ts',
    stores: everyStore,
    calls: [],
    secrets: ['ADMIN_API_KEY', 'ADMIN_API_KEY_PREVIOUS', 'SETUP_TOKEN', ...tokenSecrets],
  },
  content: {
    entry: 'services/content/src/serve.ts',
    stores: everyStore,
    calls: ['auth'],
    secrets: [...tokenSecrets, 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  },
  leases: {
    entry: 'services/leases/src/serve.ts',
    stores: everyStore,
    calls: ['auth', 'content'],
    secrets: tokenSecrets,
  },
  'key-derivation': {
    entry: 'services/key-derivation/src/serve.ts',
    stores: ['redis', 'nats'],
    calls: ['leases', 'auth', 'content'],
    secrets: [...tokenSecrets, 'MASTER_KEY_HEX', 'SALT_HEX', 'MASTER_KEY_HEX_V2', 'SALT_HEX_V2'],
  },
  playback: {
    entry: 'services/playback/src/serve.ts',
    stores: ['redis', 'nats'],
    calls: ['leases', 'content'],
    secrets: [],
  },
  gateway: {
    entry: 'gateway/src/main.ts',
    stores: [],
    calls: ['leases', 'auth', 'content', 'key-derivation', 'playback'],
    secrets: [],
  },
  edge: {
    entry: 'gateway/src/edge.ts',
    stores: ['redis', 'nats'],
    calls: ['leases', 'auth', 'content', 'playback'],
    secrets: [...tokenSecrets, 'MASTER_KEY_HEX', 'SALT_HEX', 'MASTER_KEY_HEX_V2', 'SALT_HEX_V2'],
  },
};

/** In the order of their calls: services without calls come first. */
export const processKinds = Object.keys(topology) as ProcessKind[];

/** The file of the single-node profile. */
export const singleNodeEntry = 'gateway/src/single-node.ts';

const urlVariables: Readonly<Record<ServiceName | StoreKind, string>> = {
  auth: 'AUTH_SERVICE_URL',
  content: 'CONTENT_SERVICE_URL',
  leases: 'LEASES_SERVICE_URL',
  'key-derivation': 'KEY_DERIVATION_SERVICE_URL',
  playback: 'PLAYBACK_SERVICE_URL',
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  nats: 'NATS_URL',
};

/** All stores and services that a process of this kind uses. */
export function needsOf(kind: ProcessKind): readonly (ServiceName | StoreKind)[] {
  return [...topology[kind].stores, ...topology[kind].calls];
}

/**
 * The variables of one process.
 *
 * @param urls the addresses of its dependencies, several separated by commas; a missing dependency is not configured
 * @param settings for the whole profile: secrets of other processes are left out
 */
export function environmentOf(
  kind: ProcessKind,
  urls: Readonly<Partial<Record<ServiceName | StoreKind, string>>>,
  settings: Environment,
): Environment {
  const descriptions = Object.values(topology);
  const isWithheld = (variable: string) =>
    !topology[kind].secrets.includes(variable) &&
    descriptions.some(({ secrets }) => secrets.includes(variable));
  return Object.fromEntries([
    ...needsOf(kind).map((need) => [urlVariables[need], urls[need]]),
    ...Object.entries(settings).filter(([variable]) => !isWithheld(variable)),
  ]);
}
