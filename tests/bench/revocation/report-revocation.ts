import { table } from '../table.ts';
import type { RevocationSample } from './measure-revocation.ts';
import { probeNames } from './probes.ts';

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

const after = (value: number | null) =>
  value === null ? 'more than 10 minutes' : `${Math.round(value / 1_000)} s`;

/** The answer to the revocation, and the latency of other requests before it and until the last row was written. */
export function reportRevocation(samples: readonly RevocationSample[], leases: number): string {
  const answers = table(
    [
      'database',
      'leases of the content',
      'answer',
      'all rows written after',
      'written to the disk',
      'the disk quiet after',
    ],
    samples.map(({ database, answerMs, writtenAfterMs, diskBytes, quietAfterMs }) => [
      database,
      leases.toLocaleString('en'),
      ms(answerMs),
      after(writtenAfterMs),
      `${(diskBytes / 1e9).toFixed(1)} GB`,
      after(quietAfterMs),
    ]),
  );
  const others = samples.flatMap(({ database, before, meanwhile }) =>
    probeNames.map((name) => {
      const both = [before[name], meanwhile[name]];
      const p99s = both.map((micros) => micros.percentile(99) / 1_000);
      const ratio = (p99s[1] ?? Number.NaN) / (p99s[0] ?? Number.NaN);
      const longest = both.map(({ max }) => max / 1_000);
      return [database, name, ...p99s.map(ms), ratio.toFixed(1), ...longest.map(ms)];
    }),
  );
  const head = [
    'database',
    'of another content',
    'p99 before',
    'p99 meanwhile',
    'ratio',
    'longest before',
    'longest meanwhile',
  ];
  return `${answers}\n\n${table(head, others)}`;
}
