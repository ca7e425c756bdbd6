import { table } from '../table.ts';
import type { MemoryPlan, MemorySample } from './measure-memory.ts';

/** Memory as viewers come and go, and the share of repeated requests whose lease was in the cache. */
export function reportMemory({ atOnce, containerMib }: MemoryPlan, samples: readonly MemorySample[]): string {
  const where = containerMib === 0 ? 'without a container' : `in a container of ${containerMib} MiB`;
  const what = `One replica of key-derivation ${where}, ${atOnce.toLocaleString('en')} viewers at a time, each with a token and a lease.`;
  const rows = samples.map(({ viewers, anonymousMib, residentMib, peakMib, warm }) => [
    viewers.toLocaleString('en'),
    anonymousMib.toFixed(0),
    residentMib.toFixed(0),
    peakMib.toFixed(0),
    `${(100 * warm).toFixed(1)} %`,
  ]);
  return `${what}\n\n${table(['viewers since the start', 'anonymous, MiB', 'resident, MiB', 'resident at most, MiB', 'asked again, lease known'], rows)}`;
}
