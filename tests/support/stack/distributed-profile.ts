import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findFreePort } from '../find-free-port.ts';
import {
  createLatchkeyProcess,
  type LatchkeyProcess,
  type LatchkeyProcessOptions,
} from '../processes/latchkey-process.ts';
import type { Environment } from '../processes/spawn-entry.ts';
import type { DatabaseRoles } from './database-roles.ts';
import {
  environmentOf,
  needsOf,
  type ProcessKind,
  processKinds,
  type ServiceName,
  type StoreKind,
  topology,
} from './topology.ts';

/** The URLs of the stores. Without Redis and NATS, changes reach the caches only by the pull. */
export type Stores = Readonly<Partial<Record<StoreKind, string>>> & { readonly postgres: string };

/** The secrets of the processes and the credentials of the tests. */
export interface ProfileSecrets {
  INTERNAL_SECRET: string;
  ADMIN_API_KEY: string;
  AUTH_JWT_SECRET: string;
}

/** Number of processes of each kind. */
export type Replicas = Readonly<
  Record<Exclude<ProcessKind, 'edge' | 'playback'>, number> & { edge?: number; playback?: number }
>;

export interface DistributedProfile {
  processes: Readonly<Record<ProcessKind, LatchkeyProcess[]>>;
  all: readonly LatchkeyProcess[];
}

export interface DistributedProfileOptions {
  stores: Stores;
  /** By default one role of Postgres does everything, as with the code of 0.2.0. */
  roles?: DatabaseRoles;
  secrets: ProfileSecrets;
  replicas: Replicas;
  /**
   * Variables of every process. A secret only goes to processes that may know it. They replace the usual ones. With the files of
   * `INTERNAL_TLS_…`, services are called with TLS.
   */
  settings?: Environment;
  /** Variables of the processes of one kind, or of one process by its name, such as `leases-1`. */
  settingsOf?: SettingsOf;
  /**
   * The address under which a process reaches a dependency; by default the address itself.
   *
   * @param from the name of the process, such as `leases-1`
   * @param to a store, or the name of a process
   */
  reach?: (from: string, to: string, url: string) => Promise<string>;
  /** The working folder of all processes. */
  folder?: string;
  /** @param name of the process */
  outputOf?: (name: string) => NonNullable<LatchkeyProcessOptions['output']>;
}

/** Further variables of the processes of a kind, or of single processes by name. */
export type SettingsOf = Readonly<Partial<Record<ProcessKind | `${ProcessKind}-${number}`, Environment>>>;

const hex = () => randomBytes(32).toString('hex');

/** Turns presign on for a bucket that does not exist: signing for it needs no connection. */
export const absentBucket = (): Environment => ({
  ENABLE_PRESIGN: 'true',
  S3_BUCKET: 'videos',
  S3_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: hex(),
});

export const makeProfileSecrets = (): ProfileSecrets => ({
  INTERNAL_SECRET: hex(),
  ADMIN_API_KEY: `lk_${hex()}`,
  AUTH_JWT_SECRET: hex(),
});

/** The separate services on free ports, each with only the settings that it needs. None is started. */
export async function createDistributedProfile(
  options: DistributedProfileOptions,
): Promise<DistributedProfile> {
  const { stores, roles, secrets, replicas, settings = {}, settingsOf = {}, folder, outputOf } = options;
  const { reach = async (_from, _to, url) => url } = options;
  const ports = await reservePorts(replicas);
  const { INTERNAL_TLS_CA_FILE: caFile } = settings;
  const tlsCa = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  const everyone = { ...secrets, MASTER_KEY_HEX: hex(), SALT_HEX: hex(), ...settings };

  async function urlsFor(kind: ProcessKind, name: string): Promise<Partial<Record<string, string>>> {
    const urls: Partial<Record<string, string>> = {};
    for (const need of needsOf(kind)) {
      const targets = isStore(need)
        ? [[need, need === 'postgres' && roles ? roles.urlFor(kind, stores.postgres) : stores[need]] as const]
        : ports[need].map((port, index) => [`${need}-${index + 1}`, urlOf(port, tlsCa)] as const);
      const reached: string[] = [];
      for (const [to, url] of targets) if (url !== undefined) reached.push(await reach(name, to, url));
      if (reached.length > 0) urls[need] = reached.join(',');
    }
    return urls;
  }
  const create = (kind: ProcessKind) =>
    Promise.all(
      ports[kind].map(async (port, index) => {
        const name = `${kind}-${index + 1}` as const;
        const env = {
          ...environmentOf(kind, await urlsFor(kind, name), everyone),
          ...settingsOf[kind],
          ...settingsOf[name],
        };
        const output = outputOf ? { output: outputOf(name) } : {};
        const { entry } = topology[kind];
        const own = isFrontDoor(kind) ? {} : { tlsCa };
        return createLatchkeyProcess({ name, entry, port, env, folder, ...own, ...output });
      }),
    );
  const processes = {
    auth: await create('auth'),
    content: await create('content'),
    leases: await create('leases'),
    'key-derivation': await create('key-derivation'),
    playback: await create('playback'),
    gateway: await create('gateway'),
    edge: await create('edge'),
  };
  return { processes, all: Object.values(processes).flat() };
}

async function reservePorts(replicas: Replicas): Promise<Record<ProcessKind, number[]>> {
  const ports: Record<ProcessKind, number[]> = {
    auth: [],
    content: [],
    leases: [],
    'key-derivation': [],
    playback: [],
    gateway: [],
    edge: [],
  };
  for (const kind of processKinds)
    while (ports[kind].length < (replicas[kind] ?? 0)) ports[kind].push(await findFreePort());
  return ports;
}

/** The two that clients call speak without TLS: a proxy in front of them has it. */
const isFrontDoor = (kind: ProcessKind) => kind === 'gateway' || kind === 'edge';
const urlOf = (port: number, tlsCa?: string) => `${tlsCa ? 'https' : 'http'}://127.0.0.1:${port}`;

function isStore(need: ServiceName | StoreKind): need is StoreKind {
  return need === 'postgres' || need === 'redis' || need === 'nats';
}
