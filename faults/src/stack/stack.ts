import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@latchkey/rig/find-free-port';
import { type Backing, startNats, startPostgres, startRedis } from './backing.ts';
import { createNetwork, type Network } from './network.ts';
import { createServer, runEntry, type Server } from './server.ts';
import {
  type BackingName,
  backingUrls,
  entries,
  internalSecret,
  type Replicas,
  type ServiceName,
  urlVariables,
} from './topology.ts';

/** The distributed profile, whole: each process, what it stands on, and the network between. */
export interface Stack {
  gateways: Server[];
  servers: Readonly<Record<ServiceName, Server[]>>;
  backings: Readonly<Record<BackingName, Backing>>;
  links: Network['links'];
  databaseUrl: string;
  /** Where each process writes its log. */
  folder: string;
  waitReady(): Promise<void>;
  /** Ready, and with everything that it can do without. */
  waitWhole(): Promise<void>;
  stop(): Promise<void>;
}

type Ports = Record<ServiceName | 'gateway', number[]>;
/** Further variables of the processes of each kind, and of single ones by a name such as `keys-1`. */
export type MoreEnv = Partial<
  Record<ServiceName | 'gateway' | `${ServiceName}-${number}`, Readonly<Record<string, string>>>
>;

export interface StackOptions {
  replicas: Replicas;
  /** SHUTDOWN_DRAIN_SECONDS of every process; 0 where it is left out. */
  drainSeconds?: number;
  /** Further variables. */
  moreEnv?: MoreEnv;
  /** Whether the network between the processes can be broken. It can where this is left out. */
  isBreakable?: boolean;
}

export async function startStack({
  replicas,
  drainSeconds = 0,
  moreEnv = {},
  isBreakable = true,
}: StackOptions): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-faults-'));
  const [postgres, redis, nats] = await Promise.all([startPostgres(), startRedis(), startNats()]);
  const backings = { postgres, redis, nats };
  const common = {
    HOME: folder,
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    INTERNAL_SECRET: internalSecret,
    SHUTDOWN_DRAIN_SECONDS: String(drainSeconds),
  };
  const [, databaseUrl] = backingUrls.postgres(postgres.port);
  await runEntry('cli/src/main.ts', ['migrate'], { ...common, DATABASE_URL: databaseUrl });

  const ports = await reservePorts(replicas);
  const network = createNetwork(common, ports, backings, isBreakable);
  const servers = await createServers(ports, network, folder, moreEnv);
  const gateways = createGateways(ports.gateway, servers, { ...common, ...moreEnv.gateway }, folder);
  const all = [...Object.values(servers).flat(), ...gateways];
  const stack: Stack = {
    gateways,
    servers,
    backings,
    links: network.links,
    databaseUrl,
    folder,
    waitReady: async () => void (await Promise.all(all.map((server) => server.waitReady()))),
    waitWhole: async () => void (await Promise.all(all.map((server) => server.waitWhole()))),
    async stop() {
      await Promise.all(all.map((server) => server.end('SIGKILL')));
      await Promise.all([...network.links.values()].map((proxy) => proxy.close()));
      await Promise.all(Object.values(backings).map((backing) => backing.remove()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    for (const server of all) server.start();
    await stack.waitWhole();
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

async function createServers(
  ports: Ports,
  network: Network,
  folder: string,
  moreEnv: MoreEnv,
): Promise<Stack['servers']> {
  const create = (service: ServiceName) =>
    Promise.all(
      ports[service].map(async (port, index) => {
        const name = `${service}-${index + 1}` as const;
        const env = {
          ...(await network.environmentOf(service, name)),
          ...moreEnv[service],
          ...moreEnv[name],
        };
        return createServer({ name, entry: entries[service], port, env, folder });
      }),
    );
  return {
    auth: await create('auth'),
    content: await create('content'),
    leases: await create('leases'),
    keys: await create('keys'),
  };
}

function createGateways(
  ports: readonly number[],
  servers: Stack['servers'],
  common: Readonly<Record<string, string>>,
  folder: string,
): Server[] {
  const env: Record<string, string> = { ...common };
  for (const [service, variable] of Object.entries(urlVariables) as [ServiceName, string][])
    env[variable] = servers[service].map(({ url }) => url).join(',');
  return ports.map((port, index) =>
    createServer({ name: `gateway-${index + 1}`, entry: entries.gateway, port, env, folder }),
  );
}

async function reservePorts(replicas: Replicas): Promise<Ports> {
  const ports: Ports = { auth: [], content: [], leases: [], keys: [], gateway: [] };
  for (const [name, count] of Object.entries(replicas) as [ServiceName | 'gateway', number][])
    for (let index = 0; index < count; index++) ports[name].push(await findFreePort());
  return ports;
}
