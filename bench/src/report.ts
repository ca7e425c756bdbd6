import type { Measurement } from './measure.ts';
import { median } from './quantile.ts';
import { table } from './table.ts';

/** The server that the others are compared with. */
const baseline = 'bare Fastify';

/** A table of medians, and of ratios to bare Fastify in the same run. */
export function report(results: readonly Measurement[]): string {
  const names = [...new Set(results.map(({ name }) => name))];
  const rows = names.map((name) => {
    const own = results.filter((result) => result.name === name);
    const cpu = own.flatMap(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest ?? []);
    return {
      name,
      rate: median(own.map(({ requestsPerSecond }) => requestsPerSecond)),
      p99Ms: median(own.map(({ p99Ms }) => p99Ms)),
      cpu: cpu.length > 0 ? median(cpu) : null,
    };
  });
  const reference = rows.find(({ name }) => name === baseline)?.rate ?? Number.NaN;
  const lines = rows.map(({ name, rate, p99Ms, cpu }) => {
    const cells = [name, Math.round(rate).toLocaleString('en'), (rate / reference).toFixed(2), `${p99Ms} ms`];
    return [...cells, cpu === null ? 'not known' : `${cpu.toFixed(1)} µs`];
  });
  return table(['server', 'requests/s', 'to bare Fastify', 'p99', 'CPU per request'], lines);
}
