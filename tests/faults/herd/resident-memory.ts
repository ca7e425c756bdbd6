import { readFileSync } from 'node:fs';

/** Resident memory of a process (VmRSS in proc_pid_status(5)); 0 if it does not exist. */
export function residentMiB(pid: number): number {
  try {
    const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib) / 1_024);
  } catch {
    return 0;
  }
}
