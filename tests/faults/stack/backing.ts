import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@latchkey/support/find-free-port';
import {
  type Place,
  postgresUid,
  runPostgres,
  startOwnNats,
  startOwnPostgres,
  startOwnRedis,
} from '@latchkey/support/stores/own-stores';
import { makeServerFolder, type ServerProgram } from '@latchkey/support/stores/server-program';

/** A Postgres, Redis or NATS that only this run uses. A restart keeps its port and its files. */
export interface Backing {
  name: string;
  port: number;
  /** Sends SIGKILL to all its processes. */
  kill(): Promise<void>;
  /** Ends it in order, as an operator would. */
  shutDown(): Promise<void>;
  start(): Promise<void>;
  /** Sends SIGSTOP: connections stay open, and no answer comes. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its files. */
  remove(): Promise<void>;
}

const startAttempts = 20;

export async function startRedis(): Promise<Backing> {
  const place = await makePlace();
  return createBacking('Redis', place, () => startOwnRedis(place), 'SIGTERM');
}

export async function startNats(): Promise<Backing> {
  const place = await makePlace();
  return createBacking('NATS', place, () => startOwnNats(place), 'SIGTERM');
}

export async function startPostgres(): Promise<Backing> {
  const first = await startOwnPostgres();
  const place = { port: first.port, folder: first.folder };
  const start = () => runPostgres(place, { uid: postgresUid(), removesFolder: false });
  // The first start made the cluster. Its settings are too careless for a server that is killed.
  process.kill(first.pid, 'SIGINT');
  await untilGone(first.pid);
  const backing = await createBacking('Postgres', place, start, 'SIGINT');
  return { ...backing, remove: () => backing.remove().then(() => first.stop()) };
}

async function createBacking(
  name: string,
  { port, folder }: Place,
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
      // The parent is stopped first, so that it starts no child meanwhile.
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

async function makePlace(): Promise<Place> {
  return { port: await findFreePort(), folder: makeServerFolder() };
}

/** The child processes (proc_pid_stat(5), field 4). */
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

/** Waits until the process is gone, or a zombie that its parent has yet to reap. */
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
