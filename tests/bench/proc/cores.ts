import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Which cores of the machine a measurement uses for what. Each list has one core or more. */
export interface CorePlan {
  /** For the measured process alone. */
  server: number[];
  /** For the process that the measured one forwards to. */
  upstream: number[];
  /** For the load generator. It is never one of the server. */
  load: number[];
  /** For the bench itself, databases, and all servers that are not measured at the moment. */
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

/** @returns null where there is one core only: server and load then share it. With two or three, other parts share the remaining ones */
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

/** The plan for this machine; null where it has one core, is not Linux, or lacks `taskset` (util-linux). */
export function readCorePlan(): CorePlan | null {
  try {
    if (spawnSync('taskset', ['--version']).status !== 0) return null;
    return planCores(parseAllowedCores(readFileSync('/proc/self/status', 'utf8')));
  } catch {
    return null;
  }
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

/**
 * Lets a process finish what it does before it reacts to something new (`batch`: SCHED_BATCH, sched(7)), or as usual. A load generator that
 * shares cores with a server would interrupt it for each answer otherwise, and handle each by itself. Nothing changes where `chrt` is missing.
 */
export function schedule(pid: number, how: 'batch' | 'other'): void {
  spawnSync('chrt', [`--${how}`, '--all-tasks', '--pid', '0', String(pid)]);
}
