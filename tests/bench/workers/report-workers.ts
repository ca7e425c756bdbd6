import { median, quantile } from '../quantile.ts';
import { table } from '../table.ts';
import type { WorkerSample } from './measure-workers.ts';
import type { RevocationSample } from './revoke-on-workers.ts';

/** Medians over the rounds, as a table in Markdown. The first node has its cores to itself. */
export function reportWorkers(samples: readonly WorkerSample[]): string {
  const head = [
    'server',
    'connections',
    'requests/s',
    'to one process',
    'CPU per request, µs',
    'load and log reader',
    'p99, ms',
  ];
  const counts = [...new Set(samples.map(({ connections }) => connections))];
  const names = [...new Set(samples.map(({ node }) => node))];
  const rows = counts.flatMap((connections) => {
    const medians = names.map((name) => {
      const own = samples.filter((sample) => sample.node === name && sample.connections === connections);
      const of = (part: Exclude<keyof WorkerSample, 'node'>) => median(own.map((sample) => sample[part]));
      return {
        name,
        rate: of('requestsPerSecond'),
        server: of('serverMicros'),
        load: of('loadMicros'),
        p99: of('p99Ms'),
      };
    });
    const one = medians[0]?.rate ?? Number.NaN;
    return medians.map(({ name, rate, server, load, p99 }) => [
      name,
      String(connections),
      Math.round(rate).toLocaleString('en'),
      (rate / one).toFixed(2),
      server.toFixed(1),
      name === names[0] ? 'on other cores' : `${((load / (server + load)) * 100).toFixed(0)} % of the time`,
      p99.toFixed(1),
    ]);
  });
  return table(head, rows);
}

/** Revocations under load, as a table in Markdown. */
export function reportRevocations(samples: readonly RevocationSample[]): string {
  const row = (name: string, part: keyof RevocationSample) => {
    const sorted = samples.map((sample) => sample[part]).sort((a, b) => a - b);
    return [name, ...[0.5, 0.99, 1].map((share) => quantile(sorted, share).toFixed(1))];
  };
  const found = table(
    [`of ${samples.length} revocations`, 'p50, ms', 'p99, ms', 'longest, ms'],
    [
      row('the request until its answer', 'answeredMs'),
      row('the request until the last worker has answered 403', 'refusedMs'),
      row('the answer until the last worker has answered 403', 'afterAnswerMs'),
    ],
  );
  const served = samples.reduce((sum, { servedAfter }) => sum + servedAfter, 0);
  return `${found}\n\nKeys served to requests that were sent after the answer: ${served}.`;
}
