import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Run } from '../run.ts';
import { keepAwake } from './keep-awake.ts';

/** Which cores of the machine a measurement uses for what. Each list has one core or more. */
export interface CorePlan {
  /** For the measured process alone. */
  server: number[];
  /** For the process that the measured one forwards to. */
  upstream: number[];
  /** For this process while it is the load. It is never one of the server. */
  load: number[];
  /** For databases and all servers that are not measured at the moment. */
  others: number[];
}

/**
 * The cores that this process may use.
 *
 * @param status the text of /proc/self/status (proc_pid_status(5)), whose list has the form `0-2,5`
 */
export function parseAllowedCores(status: string): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, n) => from + n);
  });
}

/** @returns null if there is one core only: server and load then share it. With two or three, other parts share the remaining ones */
export function planCores(allowed: readonly number[]): CorePlan | null {
  const [server, ...rest] = allowed;
  const load = rest.pop();
  if (server === undefined || load === undefined) return null;
  const [upstream = load, ...others] = rest;
  return {
    server: [server],
    upstream: [upstream],
    load: [load],
    others: others.length > 0 ? others : [upstream],
  };
}

let allowed: readonly number[] | null = null;

/**
 * Moves this process to the cores for others, so that all that it starts stays there too.
 *
 * @returns the plan for this machine; null if it has one core or lacks `taskset` (util-linux)
 */
export async function settleOnCores({
  cleanup,
  say,
}: Pick<Run, 'cleanup' | 'say'>): Promise<CorePlan | null> {
  // Only at first: an earlier subject has moved this process.
  allowed ??= parseAllowedCores(readFileSync('/proc/self/status', 'utf8'));
  const plan = spawnSync('taskset', ['--version']).status === 0 ? planCores(allowed) : null;
  if (!plan) {
    say(
      'Servers and load share the cores: there is one core, or no taskset. Compare nothing with other machines.',
    );
    return null;
  }
  pin(process.pid, plan.others);
  cleanup.add({ stop: () => pin(process.pid, allowed ?? []) });
  // The cores of the server and of the load are busy during a measurement. The others would fall asleep between requests.
  if (spawnSync('chrt', ['--version']).status === 0) cleanup.add(await keepAwake());
  else say('There is no chrt: cores may fall asleep, and waking them adds latency.');
  return plan;
}

/**
 * Moves all threads of a process to these cores. Processes and threads that it starts later stay there too.
 *
 * @throws Error if the process does not exist
 */
export function pin(pid: number, cores: readonly number[]): void {
  const moved = spawnSync('taskset', ['-acp', cores.join(','), String(pid)], { encoding: 'utf8' });
  if (moved.status !== 0) throw new Error(`taskset did not move process ${pid}: ${moved.stderr}`);
}
