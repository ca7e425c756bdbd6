import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { type LoadBalancer, startLoadBalancer } from '../rolling/load-balancer.ts';
import { type PlaylistSource, startPlaylistSource } from '../stack/playlist-source.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import type { MeasuredProcess, PreparedProfile, ProfileName, ProtectedStores } from './prepared-profile.ts';
import type { SecretFiles } from './secret-files.ts';
import { startSeparateServices } from './separate-services.ts';
import { startSingleNode } from './single-nodes.ts';

/** The servers of one profile. Every secret comes from a file. */
export interface RotatedStack {
  profile: ProfileName;
  /** The server for the next request: one of several that are ready. */
  origin(): string;
  /** Those of the services behind the gateways. A single node has none. */
  internalOrigins: readonly string[];
  secrets: SecretFiles;
  /** Sends SIGHUP to every process, and waits until each has read its configuration again without a fault. */
  hangUp(): Promise<void>;
  /**
   * Ends and starts processes in turn, so that the others serve meanwhile.
   *
   * @param changedOf the variables that change for a process by its name, such as `leases-1`; null for a process that is not restarted. By
   *   default all are, with the same variables
   */
  restartInTurn(changedOf?: (name: string) => Environment | null): Promise<void>;
  /** Waits until every dependency of every process is up. */
  waitWhole(): Promise<void>;
  stores: ProtectedStores;
  /** Its key set is `AUTH_JWKS_URL` of every process that verifies tokens. */
  issuer: Issuer;
  playlistUrl: string;
  stop(): Promise<void>;
}

/** To read files and check them takes milliseconds, and to replace workers some seconds. */
const readLimitMs = 30_000;
/** Between two restarts the load balancer probes each server a few times. */
const betweenRestartsMs = 1_500;

export async function startRotatedStack(profile: ProfileName): Promise<RotatedStack> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-rotations-'));
  const [source, issuer] = await Promise.all([startPlaylistSource(), startIssuer()]);
  const prepare = profile === 'separate services' ? startSeparateServices : startSingleNode;
  const prepared = await prepare(profile, folder, {
    PLAYLIST_ORIGINS: new URL(source.url).origin,
    AUTH_JWKS_URL: issuer.url,
  });
  const fronts = prepared.processes.filter(({ takesRequests }) => takesRequests).map(({ server }) => server);
  const { processes, secrets, stores } = prepared;
  const waitWhole = async () => {
    await Promise.all(processes.map(({ server }) => server.waitWhole()));
  };
  let balancer: LoadBalancer | null = null;
  const stop = () => stopAll(prepared, balancer, [source, issuer], folder);
  try {
    for (const { server } of processes) server.start();
    await waitWhole();
  } catch (error) {
    await stop();
    throw error;
  }
  balancer = startLoadBalancer(fronts);
  return {
    profile,
    origin: balancer.origin,
    internalOrigins: prepared.processes
      .filter(({ takesRequests }) => !takesRequests)
      .map(({ server }) => server.url),
    secrets,
    stores,
    issuer,
    playlistUrl: source.url,
    waitWhole,
    hangUp: async () => void (await Promise.all(processes.map(hangUp))),
    async restartInTurn(changedOf = () => ({})) {
      for (const { server } of processes) {
        const changed = changedOf(server.name);
        if (changed === null) continue;
        await server.end('SIGTERM');
        server.start(undefined, changed);
        await server.waitReady();
        await pause(betweenRestartsMs);
      }
    },
    stop,
  };
}

async function stopAll(
  { processes, stores }: PreparedProfile,
  balancer: LoadBalancer | null,
  sources: readonly Pick<PlaylistSource, 'close'>[],
  folder: string,
): Promise<void> {
  balancer?.stop();
  await Promise.all(processes.map(({ server }) => server.end('SIGKILL')));
  await Promise.all(Object.values(stores).map((store) => store.stop()));
  await Promise.all(sources.map((source) => source.close()));
  rmSync(folder, { recursive: true, force: true });
}

async function hangUp(process: MeasuredProcess): Promise<void> {
  const before = await readReads(process);
  process.server.signal('SIGHUP');
  const limitMs = performance.now() + readLimitMs;
  for (;;) {
    const { ok, failed } = await readReads(process);
    if (failed > before.failed) throw new Error(`${process.server.name} refused its configuration`);
    if (ok > before.ok) return;
    if (performance.now() > limitMs)
      throw new Error(`${process.server.name} did not read its configuration again`);
    await pause(20);
  }
}

/** How often a process has read its configuration, by result. */
async function readReads({ metricsPort }: MeasuredProcess): Promise<{ ok: number; failed: number }> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const count = (result: string) =>
    [...text.matchAll(/^latchkey_configuration_reads_total\{(.*)\} (\d+)$/gm)]
      .filter(([, labels]) => labels?.includes(`result="${result}"`))
      .reduce((sum, [, , value]) => sum + Number(value), 0);
  return { ok: count('ok'), failed: count('failed') };
}
