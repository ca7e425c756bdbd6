import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@latchkey/rig/find-free-port';
import { findProgram, startOwnNats, startOwnPostgres, startOwnRedis } from '@latchkey/rig/stores/own-stores';
import { type ServerProgram, startServerProgram } from '@latchkey/rig/stores/server-program';

/** A Postgres, Redis or NATS that is this run's own. It always comes back on its port with what it kept. */
export interface Backing {
  name: string;
  port: number;
  /** SIGKILL, to every process of it. */
  kill(): Promise<void>;
  /** As an operator would: it may end in order. */
  shutDown(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP: connections stay, and nobody answers. */
  pause(): void;
  resume(): void;
  /** Ends it for good. */
  remove(): Promise<void>;
}

const startAttempts = 20;

export async function startRedis(): Promise<Backing> {
  const place = await makePlace('redis');
  return createBacking('Redis', place, () => startOwnRedis(place), 'SIGTERM');
}

export async function startNats(): Promise<Backing> {
  const place = await makePlace('nats');
  return createBacking('NATS', place, () => startOwnNats(place), 'SIGTERM');
}

export async function startPostgres(): Promise<Backing> {
  const first = await startOwnPostgres();
  const { port, folder } = first;
  const uid = process.getuid?.() === 0 ? statSync(folder).uid : undefined;
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    // What a killed process has written is still the operating system's: only a crash of the machine would lose it, and a
    // slow disk would be what is measured.
    fsync: 'off',
  };
  const program = join(findProgram('initdb') ?? '', '..', 'postgres');
  const args = ['-D', join(folder, 'data')];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const start = () =>
    startServerProgram({
      program,
      args,
      port,
      folder,
      url: first.url,
      readyLine: /ready to accept connections/,
      endSignal: 'QUIT',
      uid,
      removesFolder: false,
    });
  // The first start made the cluster; it goes on with the settings above.
  process.kill(first.pid, 'SIGINT');
  await untilGone(first.pid);
  const backing = await createBacking('Postgres', { port, folder }, start, 'SIGINT');
  return { ...backing, remove: () => backing.remove().then(() => first.stop()) };
}

async function createBacking(
  name: string,
  { port, folder }: { port: number; folder: string },
  begin: () => Promise<ServerProgram>,
  endSignal: NodeJS.Signals,
): Promise<Backing> {
  let server = await begin();
  const family = () => [server.pid, ...childrenOf(server.pid)];
  const end = async (pids: number[], signal: NodeJS.Signals) => {
    for (const pid of pids) trySignal(pid, signal);
    for (const pid of pids) await untilGone(pid);
    await server.stop();
  };
  return {
    name,
    port,
    async kill() {
      // The parent first and stopped, so that it starts no child meanwhile.
      trySignal(server.pid, 'SIGSTOP');
      await end(family(), 'SIGKILL');
    },
    shutDown: () => end([server.pid], endSignal),
    async start() {
      for (let attempt = 1; ; attempt++) {
        try {
          server = await begin();
          return;
        } catch (error) {
          if (attempt === startAttempts) throw error;
          await sleep(100);
        }
      }
    },
    pause() {
      trySignal(server.pid, 'SIGSTOP');
      for (const pid of childrenOf(server.pid)) trySignal(pid, 'SIGSTOP');
    },
    resume() {
      for (const pid of family()) trySignal(pid, 'SIGCONT');
    },
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function makePlace(name: string): Promise<{ port: number; folder: string }> {
  return { port: await findFreePort(), folder: mkdtempSync(join(tmpdir(), `latchkey-faults-${name}-`)) };
}

/** The processes that a process has started (proc_pid_stat(5), field 4). */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(Number(name))?.parent === pid)
    .map(Number);
}

function statOf(pid: number): { state: string; parent: number } | null {
  try {
    const [state = '', parent = ''] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

/** Gone, or a zombie that its parent has yet to look after. */
async function untilGone(pid: number): Promise<void> {
  for (let stat = statOf(pid); stat && stat.state !== 'Z'; stat = statOf(pid)) await sleep(10);
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
