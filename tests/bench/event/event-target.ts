import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@latchkey/shared/db';
import type { Cleanup } from '../cleanup.ts';
import { readCpuMs } from '../proc/process-usage.ts';
import { adminKey, becomesReady, call, type Subject, startSingleNode } from '../servers.ts';
import { startBackings } from '../stack/backings.ts';
import { startDataPlane, startOwners } from '../stack/services.ts';
import type { Channel } from './event-order.ts';

export type EventProfile = 'single' | 'distributed';

/** Latchkey just started, so with cold caches, and its processes. */
export interface EventTarget {
  url: string;
  processes: readonly Subject[];
}

const periodSeconds = 10;

export async function startEventTarget(
  profile: EventProfile,
  cleanup: Cleanup,
): Promise<EventTarget & { channel: Channel }> {
  const target = await (profile === 'single' ? startSingle(cleanup) : startDistributed(cleanup));
  return { ...target, channel: await registerChannel(target.url) };
}

async function startSingle(cleanup: Cleanup): Promise<EventTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
  const sqlitePath = join(folder, 'latchkey.db');
  const server = cleanup.add(await startSingleNode({ SQLITE_PATH: sqlitePath }, 'single node'));
  await becomesReady(server.url);
  return { url: server.url, processes: [server] };
}

/** One process of each service. */
async function startDistributed(cleanup: Cleanup): Promise<EventTarget> {
  const backings = cleanup.add(await startBackings());
  await migrate(backings.db);
  const owners = await startOwners(backings.env);
  for (const server of Object.values(owners.servers)) cleanup.add(server);
  const plane = cleanup.add(await startDataPlane({ gateways: 1, replicas: 1 }, owners, backings.env));
  const processes = [...plane.gateways, ...plane.replicas, ...Object.values(owners.servers)];
  return { url: plane.gateways[0]?.url ?? '', processes };
}

async function registerChannel(url: string): Promise<Channel> {
  const contentId = 'channel';
  const originMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
  const keyPeriods = { mode: 'clock', origin: new Date(originMs).toISOString(), periodSeconds };
  const content = { id: contentId, name: 'Channel', keyPeriods };
  await call(url, 'POST', '/api/v1/content', adminKey, content);
  return { contentId, originMs, periodSeconds };
}

/** CPU time that passed, by process, and of the rest of the machine. */
export interface CpuUse {
  name: string;
  ms: number;
}

/** @returns a function that says what has been used since */
export function watchCpu(processes: readonly Subject[]): () => CpuUse[] {
  const before = processes.map(({ pid }) => readCpuMs(pid));
  const machineBefore = readMachineCpuMs();
  return () => {
    const own = processes.map(({ name, pid }, n) => ({ name, ms: readCpuMs(pid) - (before[n] ?? 0) }));
    const rest = readMachineCpuMs() - machineBefore - own.reduce((sum, { ms }) => sum + ms, 0);
    return [...own, { name: 'rest of the machine, load generator included', ms: rest }];
  };
}

/** Time in which the cores were not idle, from the first line of /proc/stat (proc_stat(5)), in milliseconds. */
function readMachineCpuMs(): number {
  const msPerTick = 10;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) * msPerTick;
}
