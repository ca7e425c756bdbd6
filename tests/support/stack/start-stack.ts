import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findFreePort } from '../find-free-port.ts';
import {
  createLatchkeyProcess,
  type LatchkeyProcess,
  type LatchkeyProcessOptions,
} from '../processes/latchkey-process.ts';
import { runCli } from '../processes/run-cli.ts';
import type { Environment } from '../processes/spawn-entry.ts';
import { describeDatabaseRoles } from './database-roles.ts';
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
export type Replicas = Readonly<Partial<Record<ProcessKind, number>>>;

/** Separate services that run. */
export interface Stack {
  /** Where clients reach it: the first gateway, or the first edge process. */
  url: string;
  /** The processes that clients call, and those behind them. */
  doors: readonly LatchkeyProcess[];
  behind: readonly LatchkeyProcess[];
  processes: Readonly<Record<ProcessKind, LatchkeyProcess[]>>;
  all: readonly LatchkeyProcess[];
  secrets: ProfileSecrets;
  /**
   * `latchkey migrate`, with the roles of the services.
   *
   * @param code root folder of another release; this repository by default
   */
  migrate(code?: string): Promise<void>;
  /** Ends every process, the doors first, so that no request under way fails. @returns of the first that did not end with 0 */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface StackOptions {
  stores: Stores;
  /**
   * Gives each service a role of its own in Postgres, whose name starts with this: roles belong to the whole server. Without it,
   * the role of the URL does everything.
   */
  rolePrefix?: string;
  secrets?: ProfileSecrets;
  /** One of each by default. */
  replicas?: Replicas;
  /** Edge processes take the place of gateway and key-derivation. */
  edge?: boolean;
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
  /** Flags of Node. */
  flags?: readonly string[];
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

export const makeSecrets = (): ProfileSecrets => ({
  INTERNAL_SECRET: hex(),
  ADMIN_API_KEY: `lk_${hex()}`,
  AUTH_JWT_SECRET: hex(),
});

const oneOfEach: Replicas = {
  auth: 1,
  content: 1,
  leases: 1,
  'key-derivation': 1,
  playback: 1,
  gateway: 1,
};
const withEdge: Replicas = { 'key-derivation': 0, gateway: 0, edge: 1 };

/**
 * Starts separate services, each with only the settings that it needs, on stores that run and a database that this migrates. Resolves
 * when what is behind the doors and the first door are ready.
 *
 * @throws Error if one of them does not start
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stack = await createStack(options);
  const [first, ...others] = stack.doors;
  try {
    for (const process of stack.behind) process.start();
    // The services start meanwhile, as a deployment may let them, and wait for the schema.
    await stack.migrate();
    await Promise.all(stack.behind.map((process) => process.waitReady()));
    // The first process that derives keys tells the database which master key it has.
    first?.start();
    await first?.waitReady();
    for (const door of others) door.start();
    return stack;
  } catch (error) {
    await stack.end('SIGKILL');
    throw error;
  }
}

/** The separate services on free ports. None is started. */
export async function createStack(options: StackOptions): Promise<Stack> {
  const {
    stores,
    rolePrefix,
    edge = false,
    settings = {},
    settingsOf = {},
    folder,
    flags,
    outputOf,
  } = options;
  const { secrets = makeSecrets(), reach = async (_from, _to, url) => url } = options;
  const replicas = { ...oneOfEach, ...(edge ? withEdge : {}), ...options.replicas };
  const roles = rolePrefix === undefined ? null : describeDatabaseRoles(stores.postgres, rolePrefix);
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
        return createLatchkeyProcess({ name, entry, flags, port, env, folder, ...own, ...output });
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
  const all = Object.values(processes).flat();
  const doors = [...processes.gateway, ...processes.edge];
  const behind = all.filter((process) => !doors.includes(process));
  const endEach = (some: readonly LatchkeyProcess[], signal: NodeJS.Signals) =>
    Promise.all(some.map((process) => process.end(signal)));
  return {
    url: doors[0]?.url ?? '',
    doors,
    behind,
    processes,
    all,
    secrets,
    async migrate(code) {
      if (roles) await roles.migrate(code);
      else await runCli(['migrate'], { DATABASE_URL: stores.postgres, ...settings }, code);
    },
    async end(signal) {
      const codes = [...(await endEach(doors, signal)), ...(await endEach(behind, signal))];
      const code = codes.find((each) => each !== 0);
      return code === undefined ? { code: 0, signal: null } : { code, signal: code === null ? signal : null };
    },
  };
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

/** Clients call these. They speak without TLS: a proxy in front of them has it. */
const isFrontDoor = (kind: ProcessKind) => kind === 'gateway' || kind === 'edge';
const urlOf = (port: number, tlsCa?: string) => `${tlsCa ? 'https' : 'http'}://127.0.0.1:${port}`;

function isStore(need: ServiceName | StoreKind): need is StoreKind {
  return need === 'postgres' || need === 'redis' || need === 'nats';
}
