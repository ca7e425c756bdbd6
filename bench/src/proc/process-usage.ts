import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Clock ticks of /proc/<pid>/stat: USER_HZ is 100 on Linux (time(7)). */
const msPerTick = 10;
const nanosecondsPerMs = 1_000_000;

/** What a process holds of the machine's memory, in KiB. */
export interface Memory {
  /** Now. */
  residentKiB: number;
  /** The part that is no file's: what the bound of a container counts of the process for certain. */
  anonymousKiB: number;
  /** At most so far, or since `forgetPeak`. */
  peakKiB: number;
}

/**
 * CPU time that all threads of a process have used, user and system, in milliseconds, to a tick of 10.
 *
 * @param stat the text of /proc/<pid>/stat: fields 14 and 15 of proc_pid_stat(5)
 */
export function parseCpuMs(stat: string): number {
  // The second field is the name, which may hold spaces and brackets of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * msPerTick;
  if (Number.isNaN(cpuMs)) throw new Error(`This is no /proc/<pid>/stat: ${stat}`);
  return cpuMs;
}

/** @param status the text of /proc/<pid>/status (proc_pid_status(5)) */
export function parseMemory(status: string): Memory {
  const field = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { residentKiB: field('VmRSS'), anonymousKiB: field('RssAnon'), peakKiB: field('VmHWM') };
}

/**
 * The same of one thread, to the nanosecond.
 *
 * @param schedstat the text of /proc/<pid>/task/<tid>/schedstat: nanoseconds on a processor are its first field (the
 *   kernel's Documentation/scheduler/sched-stats.rst)
 */
export function parseThreadCpuMs(schedstat: string): number {
  return Number(schedstat.split(' ')[0]) / nanosecondsPerMs;
}

/**
 * CPU time of a process since its start, in milliseconds: of each thread to the nanosecond where the kernel tells (Node
 * ends no thread before itself), else in ticks, which in a sum over many processes would be an error of its own.
 *
 * @throws Error where there is no such process, or the system is not Linux
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

/** @throws Error where there is no such process, or the system is not Linux */
export function readMemory(pid: number): Memory {
  return parseMemory(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Lets the peak begin anew from what the process holds now (proc_pid_clear_refs(5)), where the system allows it. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The peak then is that of the whole life, which is never too low.
  }
}

/** How many files a process of this machine may hold open, sockets among them; Node takes the hard limit at its start. */
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
