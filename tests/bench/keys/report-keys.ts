import { median } from '../quantile.ts';
import { table } from '../table.ts';
import type { KeySample } from './measure-keys.ts';

/** The server that the others are compared with. */
const baseline = 'bare Fastify';

/** Medians over the rounds of one subject. */
export interface KeyRow {
  name: string;
  /** CPU time for one request. */
  micros: number;
  leastMicros: number;
  mostMicros: number;
  userMicros: number;
  systemMicros: number;
  /** CPU time of bare Fastify for one request, divided by this one's: 0.5 means twice as much work. */
  ratio: number;
  requestsPerSecond: number;
  p99Ms: number;
  leastP99Ms: number;
  mostP99Ms: number;
}

export function summarize(samples: readonly KeySample[]): KeyRow[] {
  const names = [...new Set(samples.map(({ name }) => name))];
  const totals = (name: string) =>
    samples
      .filter((sample) => sample.name === name)
      .map(({ userMicros, systemMicros }) => userMicros + systemMicros);
  const reference = median(totals(baseline));
  return names.map((name) => {
    const own = samples.filter((sample) => sample.name === name);
    const micros = totals(name);
    const p99s = own.map(({ p99Ms }) => p99Ms);
    return {
      name,
      micros: median(micros),
      leastMicros: Math.min(...micros),
      mostMicros: Math.max(...micros),
      userMicros: median(own.map(({ userMicros }) => userMicros)),
      systemMicros: median(own.map(({ systemMicros }) => systemMicros)),
      ratio: reference / median(micros),
      requestsPerSecond: median(own.map(({ requests, seconds }) => requests / seconds)),
      p99Ms: median(p99s),
      leastP99Ms: Math.min(...p99s),
      mostP99Ms: Math.max(...p99s),
    };
  });
}

/** A table in Markdown. */
export function reportKeys(rows: readonly KeyRow[]): string {
  const head = ['server', 'CPU per request, µs', 'user + system', 'to bare Fastify', 'requests/s', 'p99, ms'];
  const lines = rows.map((row) => [
    row.name,
    `${row.micros.toFixed(1)} (${row.leastMicros.toFixed(1)} to ${row.mostMicros.toFixed(1)})`,
    `${row.userMicros.toFixed(1)} + ${row.systemMicros.toFixed(1)}`,
    row.ratio.toFixed(2),
    Math.round(row.requestsPerSecond).toLocaleString('en'),
    `${row.p99Ms.toFixed(1)} (${row.leastP99Ms.toFixed(1)} to ${row.mostP99Ms.toFixed(1)})`,
  ]);
  return table(head, lines);
}
