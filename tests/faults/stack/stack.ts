import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import { type Replicas, type SettingsOf, type Stores, startStack } from '@latchkey/support/stack/start-stack';
import type { ServiceName, StoreKind } from '@latchkey/support/stack/topology';
import { type Backing, startNats, startPostgres, startRedis } from './backing.ts';
import { publicUrl, startPlaylistSource } from './playlist-source.ts';
import { internalSecret, secrets } from './secrets.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** The whole distributed profile: the processes, their stores, and the network between them. */
export interface Stack {
  gateways: LatchkeyProcess[];
  servers: Readonly<Record<ServiceName, LatchkeyProcess[]>>;
  backings: Readonly<Record<StoreKind, Backing>>;
  /**
   * The network from each service to what it needs, by their names: `leases-1 postgres`, `key-derivation-1 leases-1`. It can be
   * cut or made slow. Empty if the stack is not breakable.
   */
  links: ReadonlyMap<string, TcpProxy>;
  databaseUrl: string;
  /** Of every content: a live playlist that this process serves. */
  playlistUrl: string;
  /** Where each process writes its log. */
  folder: string;
  waitReady(): Promise<void>;
  /** Waits until all are ready and no dependency is degraded. */
  waitWhole(): Promise<void>;
  stop(): Promise<void>;
}

/** A process that is called directly, as the gateway calls it. */
export interface Replica {
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  server: LatchkeyProcess;
}

export function directReplicas({ servers }: Stack): Replica[] {
  return servers['key-derivation'].map(toReplica);
}

/** The processes that serve playlists. */
export function directPlaybacks({ servers }: Stack): Replica[] {
  return servers.playback.map(toReplica);
}

function toReplica(server: LatchkeyProcess): Replica {
  return { name: server.name, url: server.url, headers: { 'x-latchkey-secret': internalSecret }, server };
}

export interface StackOptions {
  replicas: Replicas;
  /** SHUTDOWN_DRAIN_SECONDS of every process; 0 by default. */
  drainSeconds?: number;
  /** Further variables for all processes of a kind, or for one process by a name such as `leases-1`. */
  moreEnv?: SettingsOf;
  /**
   * Whether the network between the processes can be broken; true by default. This process then carries the traffic. On a
   * busy machine it would be the slowest part, and the one that is measured.
   */
  isBreakable?: boolean;
}

export async function startBreakableStack({
  replicas,
  drainSeconds = 0,
  moreEnv = {},
  isBreakable = true,
}: StackOptions): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-faults-'));
  const [postgres, redis, nats] = await Promise.all([startPostgres(), startRedis(), startNats()]);
  const backings = { postgres, redis, nats };
  const source = await startPlaylistSource();
  const stores = urlsOf(backings);
  const links = new Map<string, TcpProxy>();
  const remove = async () => {
    await Promise.all([...links.values()].map((proxy) => proxy.close()));
    source.close();
    await Promise.all(Object.values(backings).map((backing) => backing.remove()));
    rmSync(folder, { recursive: true, force: true });
  };
  const { all, end, processes } = await startStack({
    stores,
    secrets,
    replicas,
    settings: {
      HOME: folder,
      NODE_ENV: 'production',
      // A container keeps no compiled code either, so starts take as long.
      NODE_COMPILE_CACHE: undefined,
      LOG_LEVEL: 'info',
      // No request goes there: sessions are used at the gateway's own address.
      PUBLIC_URL: publicUrl,
      PLAYLIST_ORIGINS: new URL(source.url).origin,
      SHUTDOWN_DRAIN_SECONDS: String(drainSeconds),
    },
    settingsOf: moreEnv,
    async reach(from, to, url) {
      if (!isBreakable || from.startsWith('gateway-')) return url;
      const place = new URL(url);
      const proxy = await startTcpProxy(Number(place.port));
      links.set(`${from} ${to}`, proxy);
      return url.replace(`:${place.port}`, `:${proxy.port}`);
    },
    folder,
    outputOf: (name) => ({ logFile: join(folder, `${name}.log`) }),
  }).catch(async (error) => {
    await remove();
    throw error;
  });
  const { gateway: gateways, ...servers } = processes;
  const stack: Stack = {
    gateways,
    servers,
    backings,
    links,
    databaseUrl: stores.postgres,
    playlistUrl: source.url,
    folder,
    waitReady: async () => void (await Promise.all(all.map((server) => server.waitReady()))),
    waitWhole: async () => void (await Promise.all(all.map((server) => server.waitWhole()))),
    async stop() {
      await end('SIGKILL');
      await remove();
    },
  };
  await stack.waitWhole();
  return stack;
}

function urlsOf({ postgres, redis, nats }: Stack['backings']): Stores {
  return {
    postgres: `postgres://postgres@127.0.0.1:${postgres.port}/postgres`,
    redis: `redis://127.0.0.1:${redis.port}`,
    nats: `nats://127.0.0.1:${nats.port}`,
  };
}
