import { median } from '../median.ts';
import { table } from '../table.ts';
import type { LeaseSample } from './measure-leases.ts';

/** A table of medians. */
export function reportLeases(samples: readonly LeaseSample[]): string {
  const names = [...new Set(samples.map(({ name }) => name))];
  const lines = names.map((name) => {
    const own = samples.filter((sample) => sample.name === name);
    const shown = (read: (sample: LeaseSample) => number | undefined, digits: number) => {
      const values = own.flatMap((sample) => read(sample) ?? []);
      return values.length === 0 ? '' : median(values).toFixed(digits);
    };
    return [
      name,
      Math.round(median(own.map(({ perSecond }) => perSecond))).toLocaleString('en'),
      shown(({ p50Ms }) => p50Ms, 1),
      shown(({ p99Ms }) => p99Ms, 1),
      shown(({ cpuMicros }) => cpuMicros, 0),
      shown(({ rowsPerCommit }) => rowsPerCommit, 0),
    ];
  });
  return table(['', 'a second', 'p50, ms', 'p99, ms', 'CPU, µs', 'rows per commit'], lines);
}
