import { median } from '../quantile.ts';
import { table } from '../table.ts';
import type { LeaseSample } from './measure-lease-acts.ts';

/** A table of medians. */
export function reportLeaseActs(samples: readonly LeaseSample[]): string {
  const names = [...new Set(samples.map(({ name }) => name))];
  const lines = names.map((name) => {
    const own = samples.filter((sample) => sample.name === name);
    const middle = (read: (sample: LeaseSample) => number | null) => {
      const values = own.flatMap((sample) => read(sample) ?? []);
      return values.length > 0 ? median(values) : null;
    };
    const shown = (value: number | null, digits: number) => (value === null ? '' : value.toFixed(digits));
    return [
      name,
      Math.round(middle(({ perSecond }) => perSecond) ?? 0).toLocaleString('en'),
      shown(
        middle(({ p50Ms }) => p50Ms),
        1,
      ),
      shown(
        middle(({ p99Ms }) => p99Ms),
        1,
      ),
      shown(
        middle(({ cpuMicros }) => cpuMicros),
        0,
      ),
      shown(
        middle(({ rowsPerCommit }) => rowsPerCommit),
        0,
      ),
    ];
  });
  return table(['', 'a second', 'p50, ms', 'p99, ms', 'CPU, µs', 'rows per commit'], lines);
}
