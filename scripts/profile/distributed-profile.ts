import { randomBytes } from 'node:crypto';
import { findFreePort } from '../find-free-port.ts';
import { createProfileProcess, type ProfileProcess } from './profile-process.ts';

const entries = {
  auth: 'services/auth/src/serve.ts',
  content: 'services/content/src/serve.ts',
  leases: 'services/leases/src/serve.ts',
  'key-derivation': 'services/key-derivation/src/serve.ts',
  gateway: 'gateway/src/main.ts',
} as const;

export type ProcessName = keyof typeof entries;
const names = Object.keys(entries) as ProcessName[];

/** What separate processes stand on: URLs. */
export interface Stores {
  postgres: string;
  redis: string;
  nats: string;
}

/** By which the processes know each other, and the tests act on them. */
export interface ProfileSecrets {
  INTERNAL_SECRET: string;
  ADMIN_API_KEY: string;
  AUTH_JWT_SECRET: string;
}

export interface DistributedProfile {
  processes: Readonly<Record<ProcessName, ProfileProcess[]>>;
  all: readonly ProfileProcess[];
}

/** A bucket that is not there: to sign for it is arithmetic. */
const uploads = {
  ENABLE_PRESIGN: 'true',
  S3_BUCKET: 'videos',
  S3_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
};

const hex = () => randomBytes(32).toString('hex');

export const makeProfileSecrets = (): ProfileSecrets => ({
  INTERNAL_SECRET: hex(),
  ADMIN_API_KEY: `lk_${hex()}`,
  AUTH_JWT_SECRET: hex(),
});

/** The separate services on free ports, each given what it needs and no more. None is started. */
export async function createDistributedProfile(
  stores: Stores,
  secrets: ProfileSecrets,
  replicas: Readonly<Record<ProcessName, number>>,
  more: Readonly<Record<string, string>> = {},
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
  const states = { ...secrets, REDIS_URL: stores.redis, NATS_URL: stores.nats };
  const rows = { ...states, DATABASE_URL: stores.postgres };
  const environments: Record<ProcessName, Record<string, string | undefined>> = {
    auth: rows,
    content: { ...rows, ...auth, ...uploads, AWS_SECRET_ACCESS_KEY: hex() },
    leases: { ...rows, ...authAndContent },
    'key-derivation': { ...states, ...neighbours, MASTER_KEY_HEX: hex(), SALT_HEX: hex() },
    gateway: {
      INTERNAL_SECRET: secrets.INTERNAL_SECRET,
      ...neighbours,
      KEY_DERIVATION_SERVICE_URL: urls('key-derivation'),
    },
  };
  const create = (name: ProcessName) =>
    (ports.get(name) ?? []).map((port, index) =>
      createProfileProcess({
        name: `${name}-${index + 1}`,
        entry: entries[name],
        port,
        env: { ...more, ...environments[name] },
      }),
    );
  const processes = Object.fromEntries(names.map((name) => [name, create(name)])) as Record<
    ProcessName,
    ProfileProcess[]
  >;
  return { processes, all: Object.values(processes).flat() };
}
