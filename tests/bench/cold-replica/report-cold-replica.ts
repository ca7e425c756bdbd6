import { median } from '../quantile.ts';
import { table } from '../table.ts';
import { type ColdResult, type ColdSample, passes, sources } from './measure-cold-replica.ts';

const head = [
  'lease states from',
  'keys',
  'p50',
  'p99',
  'not served',
  'CPU of the replica per key',
  'CPU of the lease service per key',
];

/** Medians of the rounds, the sum of the keys not served, and the answers of a new replica while the lease service is stopped. */
export function reportColdReplica({ samples, withoutLeases }: ColdResult): string {
  const rows = sources.flatMap((source) =>
    passes.map((pass) => {
      const own = samples.filter((sample) => sample.source === source && sample.pass === pass);
      const middle = (value: (sample: ColdSample) => number) => median(own.map(value));
      return [
        source,
        pass,
        `${middle(({ latency }) => latency.p50).toFixed(1)} ms`,
        `${middle(({ latency }) => latency.p99).toFixed(1)} ms`,
        own.reduce((sum, { refused }) => sum + refused, 0).toLocaleString('en'),
        `${(middle(({ replicaCpuMs }) => replicaCpuMs) * 1_000).toFixed(0)} µs`,
        `${(middle(({ leasesCpuMs }) => leasesCpuMs) * 1_000).toFixed(0)} µs`,
      ];
    }),
  );
  const outage = withoutLeases.map(({ source, statuses }) => [
    source,
    Object.entries(statuses)
      .map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
      .join(' · '),
  ]);
  return `${table(head, rows)}\n\n${table(['lease states from', 'first keys while the lease service is stopped'], outage)}`;
}
