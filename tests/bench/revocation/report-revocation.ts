import { quantile } from '../quantile.ts';
import { table } from '../table.ts';
import type { RevocationSample } from './measure-revocation.ts';
import { probeNames } from './probes.ts';

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

/** The answer to the revocation, and the latency of other requests before it and until the last row was written. */
export function reportRevocation(samples: readonly RevocationSample[], leases: number): string {
  const answers = table(
    ['database', 'leases of the content', 'answer', 'all rows written after'],
    samples.map(({ database, answerMs, writtenAfterMs }) => [
      database,
      leases.toLocaleString('en'),
      ms(answerMs),
      writtenAfterMs === null ? 'not before the end of the run' : `${Math.round(writtenAfterMs / 1_000)} s`,
    ]),
  );
  const others = samples.flatMap(({ database, before, meanwhile }) =>
    probeNames.map((name) => {
      const [first, second] = [before[name], meanwhile[name]].map((times) => times.toSorted((a, b) => a - b));
      const p99 = [quantile(first ?? [], 0.99), quantile(second ?? [], 0.99)];
      const longest = [first?.at(-1) ?? Number.NaN, second?.at(-1) ?? Number.NaN];
      const ratio = (p99[1] ?? Number.NaN) / (p99[0] ?? Number.NaN);
      return [database, name, ...p99.map(ms), ratio.toFixed(1), ...longest.map(ms)];
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
