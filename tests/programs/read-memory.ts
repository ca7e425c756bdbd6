import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';

/** Whether the memory of another process of this user can be read: on Linux. */
export const canReadMemory = existsSync('/proc/self/smaps');

/** @returns what a process can write to and has written to: heap, buffers and stacks, in its regions */
export function readMemory(pid: number): Buffer[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    return listRegions(readFileSync(`/proc/${pid}/smaps`, 'utf8')).map(({ start, size }) =>
      readRegion(memory, start, size),
    );
  } finally {
    closeSync(memory);
  }
}

/** Regions of which nothing is in memory are reservations of V8. */
function listRegions(smaps: string): { start: bigint; size: number }[] {
  return smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).flatMap((region) => {
    const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(region) ?? [];
    if (from === undefined || to === undefined || !/^Rss: +[1-9]/m.test(region)) return [];
    const start = BigInt(`0x${from}`);
    return [{ start, size: Number(BigInt(`0x${to}`) - start) }];
  });
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
