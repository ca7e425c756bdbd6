import { table } from '../table.ts';
import { crowds, type MemorySample } from './measure-memory.ts';

/** Memory of each process, and what a further viewer takes. */
export function reportMemory(samples: readonly MemorySample[]): string {
  const [few, many] = crowds;
  const rows = samples.map(({ name, atRest, peaks: [first = Number.NaN, second = Number.NaN] }) => [
    name,
    atRest.toFixed(0),
    first.toFixed(0),
    second.toFixed(0),
    (((second - first) * 1_024) / (many - few)).toFixed(1),
  ]);
  const crowdHeads = crowds.map((viewers) => `with ${viewers.toLocaleString('en')} viewers, at most`);
  return table(['resident, MiB', 'at rest', ...crowdHeads, 'KiB for each further viewer'], rows);
}
