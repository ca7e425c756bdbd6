import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';

/** Whether the memory of another process of this user can be read: on Linux. */
export const canReadMemory = existsSync('/proc/self/maps');

/** Regions beyond it are reservations of V8, of which hardly anything is used. */
const regionMostBytes = 512 * 1_024 * 1_024;

/** @returns what a process can write to: heap, buffers and stacks, in its regions */
export function readMemory(pid: number): Buffer[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
        const start = BigInt(`0x${from || 0}`);
        const size = Number(BigInt(`0x${to || 0}`) - start);
        return size > 0 && size <= regionMostBytes ? [readRegion(memory, start, size)] : [];
      });
  } finally {
    closeSync(memory);
  }
}

function readRegion(memory: number, start: bigint, size: number): Buffer {
  const region = Buffer.alloc(size);
  try {
    readSync(memory, region, 0, size, start);
  } catch {
    // It may be gone since the list was made.
  }
  return region;
}
