import { median } from '../median.ts';
import { table } from '../table.ts';
import type { KeySample } from './measure-keys.ts';

/** The server that the others are compared with. */
const baseline = 'bare Fastify';

/** A table in Markdown, of medians over the rounds of each server. */
export function reportKeys(samples: readonly KeySample[]): string {
  const head = [
    'server',
    'CPU per request, µs',
    'user + system',
    'to bare Fastify',
    'requests/s',
    'core in use',
    'p99, ms',
  ];
  const names = [...new Set(samples.map(({ name }) => name))];
  const microsOf = ({ userMicros, systemMicros }: KeySample) => userMicros + systemMicros;
  const valuesOf = (name: string, read: (sample: KeySample) => number) =>
    samples.filter((sample) => sample.name === name).map(read);
  const spread = (values: readonly number[]) =>
    `${median(values).toFixed(1)} (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`;
  const reference = median(valuesOf(baseline, microsOf));
  const lines = names.map((name) => {
    const micros = valuesOf(name, microsOf);
    const rate = median(valuesOf(name, ({ requests, seconds }) => requests / seconds));
    return [
      name,
      spread(micros),
      `${median(valuesOf(name, ({ userMicros }) => userMicros)).toFixed(1)} + ${median(valuesOf(name, ({ systemMicros }) => systemMicros)).toFixed(1)}`,
      (reference / median(micros)).toFixed(2),
      Math.round(rate).toLocaleString('en'),
      `${Math.round((median(micros) * rate) / 10_000)} %`,
      spread(valuesOf(name, ({ p99Ms }) => p99Ms)),
    ];
  });
  return table(head, lines);
}
