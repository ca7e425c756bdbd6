import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Clock ticks of /proc/<pid>/stat: USER_HZ is 100 on Linux (time(7)). */
const msPerTick = 10;
const nanosecondsPerMs = 1_000_000;

/** The memory of a process, in KiB. */
export interface Memory {
  residentKiB: number;
  /** The resident part that belongs to no file. The limit of a container always counts it. */
  anonymousKiB: number;
  /** The highest resident memory so far, or since `forgetPeak`. */
  peakKiB: number;
}

/**
 * CPU time of all threads of a process, user and system, in milliseconds. Its resolution is a tick of 10 ms.
 *
 * @param stat the text of /proc/<pid>/stat: fields 14 and 15 of proc_pid_stat(5)
 */
export function parseCpuMs(stat: string): number {
  // The second field is the name, which may hold spaces and brackets of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * msPerTick;
  if (Number.isNaN(cpuMs)) throw new Error(`This is not a /proc/<pid>/stat: ${stat}`);
  return cpuMs;
}

/** CPU time of a process, in milliseconds. */
export interface CpuTimes {
  userMs: number;
  systemMs: number;
}

/**
 * CPU time of all threads of a process, in the program itself and in the kernel. Its resolution is a tick of 10 ms.
 *
 * @throws Error if the process does not exist, or the system is not Linux
 */
export function readCpuTimes(pid: number): CpuTimes {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { userMs: Number(fields[11]) * msPerTick, systemMs: Number(fields[12]) * msPerTick };
}

/** @param status the text of /proc/<pid>/status (proc_pid_status(5)) */
export function parseMemory(status: string): Memory {
  const field = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { residentKiB: field('VmRSS'), anonymousKiB: field('RssAnon'), peakKiB: field('VmHWM') };
}

/**
 * CPU time of one thread, in milliseconds. Its resolution is a nanosecond.
 *
 * @param schedstat the text of /proc/<pid>/task/<tid>/schedstat: nanoseconds on a processor are its first field (the
 *   kernel's Documentation/scheduler/sched-stats.rst)
 */
export function parseThreadCpuMs(schedstat: string): number {
  return Number(schedstat.split(' ')[0]) / nanosecondsPerMs;
}

/**
 * CPU time of a process since its start, in milliseconds. It is the sum of its threads if the kernel shows them: Node ends no
 * thread before itself, and ticks are too coarse for a sum over many processes.
 *
 * @throws Error if the process does not exist, or the system is not Linux
 */
export function readCpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks)
      .map((thread) => parseThreadCpuMs(readFileSync(`${tasks}/${thread}/schedstat`, 'utf8')))
      .reduce((sum, ms) => sum + ms, 0);
  } catch {
    return parseCpuMs(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  }
}

/** @throws Error if the process does not exist, or the system is not Linux */
export function readMemory(pid: number): Memory {
  return parseMemory(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Resets the peak to the current memory (proc_pid_clear_refs(5)), if the system allows it. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The peak is then that of the whole life, which is never too low.
  }
}

/** How many files and sockets a process of this machine may hold open. Node raises it to the hard limit at its start. */
export function readOpenFileLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** The machine, for the head of a report. */
export function describeMachine(): string {
  const model = /^model name\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? 'a processor';
  return `${availableParallelism()} cores (${model}), Node ${process.versions.node}`;
}
