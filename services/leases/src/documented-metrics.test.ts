import { readFileSync } from 'node:fs';
import { createMetrics } from '@latchkey/shared/metrics';
import { expect, test } from 'vitest';
import { createPlayerMetrics } from './routes/report-player-metrics.ts';

test('docs/metrics.md has one row for each metric that Latchkey defines, with its type and labels', async () => {
  const metrics = createMetrics();
  createPlayerMetrics(metrics);
  const text = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z_]+)` \| (\w+) \|(.*?)\| .+? \| .+? \|$/gm)];
  const documented = rows.map(([, name = '', type, labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
  }));
  const types = new Map((await metrics.registry.getMetricsAsJSON()).map(({ name, type }) => [name, type]));
  // What the library adds of the process and of Node is its own to document.
  const defined = metrics.registry
    .getMetricsAsArray()
    .filter(({ name }) => !/^(process|nodejs)_/.test(name))
    .map((metric) => ({
      name: metric.name,
      type: types.get(metric.name),
      labels: 'labelNames' in metric ? metric.labelNames : [],
    }));
  expect(sorted(documented)).toEqual(sorted(defined));
});

function sorted<T extends { name: string }>(metrics: readonly T[]): T[] {
  return [...metrics].sort((a, b) => a.name.localeCompare(b.name));
}
