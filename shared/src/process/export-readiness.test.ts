import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { ReadyReport } from '../lifecycle/index.ts';
import { stopTime } from '../testing/stop-time.ts';
import { exportReadiness } from './export-gauges.ts';

test('a scrape does not wait for a dependency that hangs: it shows what its checks said last', async () => {
  const time = stopTime();
  const registry = new Registry();
  let report: () => Promise<ReadyReport> = async () => ({
    ready: true,
    dependencies: { database: { status: 'up' } },
  });
  exportReadiness(registry, { report: () => report() });
  expect(await registry.metrics()).toContain('latchkey_dependency_up{dependency="database"} 1');
  report = () => new Promise(() => {});
  const scrape = registry.metrics();
  // The three gauges that /ready is read for.
  await time.begun(250, 3);
  time.advance(250);
  expect(await scrape).toContain('latchkey_dependency_up{dependency="database"} 1');
});
