import { readFileSync } from 'node:fs';
import { findProcesses } from '../start/find-processes.ts';

/**
 * Bytes that a process and the processes below it have had written to disks: `write_bytes` of /proc/<pid>/io
 * (proc_pid_io(5)). A process that ended counts to its parent.
 *
 * @throws Error if the process does not exist
 */
export function readDiskWrites(pid: number): number {
  const read = (one: number) =>
    Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${one}/io`, 'utf8'))?.[1]);
  let bytes = read(pid);
  for (const child of findProcesses(pid)) {
    try {
      bytes += read(child);
    } catch {
      // It ended after the list was made.
    }
  }
  return bytes;
}
