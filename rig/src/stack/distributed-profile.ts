import { randomBytes } from 'node:crypto';
import { findFreePort } from '../find-free-port.ts';
import { createProfileProcess, type ProfileProcess, type ProfileProcessOptions } from './profile-process.ts';

const entries = {
  auth: 'services/auth/src/serve.ts',
  content: 'services/content/src/serve.ts',
  leases: 'services/leases/src/serve.ts',
  'key-derivation': 'services/key-derivation/src/serve.ts',
  gateway: 'gateway/src/main.ts',
} as const;

export type ProcessName = keyof typeof entries;
const names = Object.keys(entries) as ProcessName[];

/** What separate processes stand on: URLs. Without Redis and NATS every change reaches the caches by the pull alone. */
export interface Stores {
  postgres: string;
  redis?: string;
  nats?: string;
}

/** By which the processes know each other, and the tests act on them. */
export interface ProfileSecrets {
  INTERNAL_SECRET: string;
  ADMIN_API_KEY: string;
  AUTH_JWT_SECRET: string;
}

/** Variables by name; undefined takes one away. */
export type Settings = Readonly<Record<string, string | undefined>>;

export interface DistributedProfile {
  processes: Readonly<Record<ProcessName, ProfileProcess[]>>;
  all: readonly ProfileProcess[];
}

const hex = () => randomBytes(32).toString('hex');

/** Turns presign on for a bucket that does not exist: signing for it needs no connection. */
export const absentBucket = (): Settings => ({
  ENABLE_PRESIGN: 'true',
  S3_BUCKET: 'videos',
  S3_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: hex(),
});

/** Secrets that only some processes get, as in compose.yaml. Every other setting goes to each process. */
const holders: Readonly<Record<string, readonly ProcessName[]>> = {
  MASTER_KEY_HEX: ['key-derivation'],
  SALT_HEX: ['key-derivation'],
  MASTER_KEY_HEX_V2: ['key-derivation'],
  SALT_HEX_V2: ['key-derivation'],
  ADMIN_API_KEY: ['auth'],
  SETUP_TOKEN: ['auth'],
  AUTH_JWT_SECRET: ['auth', 'content', 'leases', 'key-derivation'],
  AWS_ACCESS_KEY_ID: ['content'],
  AWS_SECRET_ACCESS_KEY: ['content'],
};

export const makeProfileSecrets = (): ProfileSecrets => ({
  INTERNAL_SECRET: hex(),
  ADMIN_API_KEY: `lk_${hex()}`,
  AUTH_JWT_SECRET: hex(),
});

/**
 * The separate services on free ports, each given what it needs and no more. None is started.
 *
 * @param settings come before everything else
 * @param onOutput is called with what the processes write; where it is left out, they write to this process's standard error
 */
export async function createDistributedProfile(
  stores: Stores,
  secrets: ProfileSecrets,
  replicas: Readonly<Record<ProcessName, number>>,
  settings: Settings = {},
  onOutput?: ProfileProcessOptions['onOutput'],
): Promise<DistributedProfile> {
  const ports = new Map<ProcessName, number[]>();
  for (const name of names) {
    const own: number[] = [];
    while (own.length < replicas[name]) own.push(await findFreePort());
    ports.set(name, own);
  }
  const urls = (name: ProcessName) =>
    ports
      .get(name)
      ?.map((port) => `http://127.0.0.1:${port}`)
      .join(',');
  const auth = { AUTH_SERVICE_URL: urls('auth') };
  const authAndContent = { ...auth, CONTENT_SERVICE_URL: urls('content') };
  const neighbours = { ...authAndContent, LEASES_SERVICE_URL: urls('leases') };
  const states = { REDIS_URL: stores.redis, NATS_URL: stores.nats };
  const rows = { ...states, DATABASE_URL: stores.postgres };
  const environments: Record<ProcessName, Settings> = {
    auth: rows,
    content: { ...rows, ...auth },
    leases: { ...rows, ...authAndContent },
    'key-derivation': { ...states, ...neighbours },
    gateway: { ...neighbours, KEY_DERIVATION_SERVICE_URL: urls('key-derivation') },
  };
  const everyone = { ...secrets, MASTER_KEY_HEX: hex(), SALT_HEX: hex(), ...settings };
  const heldBy = (name: ProcessName): Settings =>
    Object.fromEntries(
      Object.entries(everyone).filter(([variable]) => holders[variable]?.includes(name) ?? true),
    );
  const create = (name: ProcessName) =>
    (ports.get(name) ?? []).map((port, index) =>
      createProfileProcess({
        name: `${name}-${index + 1}`,
        entry: entries[name],
        port,
        env: { ...environments[name], ...heldBy(name) },
        ...(onOutput && { onOutput }),
      }),
    );
  const processes = Object.fromEntries(names.map((name) => [name, create(name)])) as Record<
    ProcessName,
    ProfileProcess[]
  >;
  return { processes, all: Object.values(processes).flat() };
}
