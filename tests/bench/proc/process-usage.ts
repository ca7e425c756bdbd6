import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Clock ticks of /proc/<pid>/stat: USER_HZ is 100 on Linux (time(7)). */
const msPerTick = 10;

/** CPU time of a process, in milliseconds. */
interface CpuTimes {
  userMs: number;
  systemMs: number;
}

/**
 * CPU time of all threads of a process, in the program itself and in the kernel. Its resolution is a tick of 10 ms.
 *
 * @param stat the text of /proc/<pid>/stat: fields 14 and 15 of proc_pid_stat(5)
 */
export function parseCpuTimes(stat: string): CpuTimes {
  // The second field is the name, which may hold spaces and brackets of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { userMs: Number(fields[11]) * msPerTick, systemMs: Number(fields[12]) * msPerTick };
}

/** @throws Error if the process does not exist */
export function readCpuTimes(pid: number): CpuTimes {
  return parseCpuTimes(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The same in one figure. */
export function readCpuMs(pid: number): number {
  const { userMs, systemMs } = readCpuTimes(pid);
  return userMs + systemMs;
}

/**
 * The memory of a process, in KiB: now, and the highest so far or since `forgetPeak`.
 *
 * @throws Error if the process does not exist
 */
export function readMemory(pid: number): { residentKiB: number; peakKiB: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { residentKiB: field('VmRSS'), peakKiB: field('VmHWM') };
}

/** Resets the peak to the current memory (proc_pid_clear_refs(5)). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
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
