import { Registry } from 'prom-client';
import { afterEach, expect, test, vi } from 'vitest';
import type { FeedFollower } from '../events/index.ts';
import { createReadiness, Degraded, type ReadyReport } from '../lifecycle/index.ts';
import { addGauge } from '../metrics/metrics.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { stopTime } from '../testing/stop-time.ts';
import { exportCache, exportFeed, exportReadiness } from './export-gauges.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** The lines of series of a metric. */
async function read(registry: Registry, name: string): Promise<string[]> {
  const text = await registry.getSingleMetricAsString(name);
  return text.split('\n').filter((line) => !line.startsWith('#'));
}

test('the age of the feed is absent before its first reading, and the replica is unsure then and above the limit', async () => {
  const registry = new Registry();
  let age: number | null = null;
  exportFeed(registry, { ageMs: () => age, limitMs: 5_000 } as FeedFollower);
  const look = async () => [
    ...(await read(registry, 'latchkey_feed_age_seconds')),
    ...(await read(registry, 'latchkey_replica_unsure')),
  ];
  expect(await look()).toEqual(['latchkey_replica_unsure 1']);
  age = 5_000;
  expect(await look()).toEqual(['latchkey_feed_age_seconds 5', 'latchkey_replica_unsure 0']);
  age = 5_001;
  expect(await look()).toEqual(['latchkey_feed_age_seconds 5.001', 'latchkey_replica_unsure 1']);
});

test('dependencies are exported as /ready judges them: degraded ones are up in part, and unknown ones are left out', async () => {
  const registry = new Registry();
  const clock = createManualClock();
  const fail = (error: Error) => ({ check: () => Promise.reject(error) });
  const readiness = createReadiness(
    [
      { name: 'bus', check: async () => undefined },
      { name: 'cache', optional: true, ...fail(new Error('gone')) },
      { name: 'database', ...fail(new Degraded('read-only', {})) },
      { name: 'feed', ...fail(new Degraded('nobody says', { status: 'unknown' })) },
    ],
    clock,
    () => {},
  );
  exportReadiness(registry, readiness);
  expect(await read(registry, 'latchkey_dependency_up')).toEqual([
    'latchkey_dependency_up{dependency="bus"} 1',
    'latchkey_dependency_up{dependency="cache"} 0',
    'latchkey_dependency_up{dependency="database"} 1',
  ]);
  expect(await read(registry, 'latchkey_dependency_degraded')).toContain(
    'latchkey_dependency_degraded{dependency="database"} 1',
  );
  expect(await read(registry, 'latchkey_ready')).toEqual(['latchkey_ready 1']);
  readiness.drain();
  expect(await read(registry, 'latchkey_ready')).toEqual(['latchkey_ready 0']);
});

test('scrapes within 5 s of a probe use its answer, and later ones make a round of checks', async () => {
  const registry = new Registry();
  const clock = createManualClock();
  let checks = 0;
  const check = async () => void checks++;
  const readiness = createReadiness(
    [{ name: 'database', check: async () => check().then(() => undefined) }],
    clock,
    () => {},
  );
  exportReadiness(registry, readiness);
  await readiness.report();
  clock.advance(4_900);
  await registry.metrics();
  expect(checks).toBe(1);
  clock.advance(200);
  await registry.metrics();
  expect(checks).toBe(2);
});

test('a cache exports how many entries of the present size fit into it, and leaves that out while it is empty', async () => {
  const registry = new Registry();
  const cache = { size: 0, bytes: 0 };
  exportCache(registry, 'leases', cache, 10_000);
  expect(await read(registry, 'latchkey_cache_entries_max')).toEqual([]);
  Object.assign(cache, { size: 3, bytes: 900 });
  expect(await read(registry, 'latchkey_cache_entries_max')).toEqual([
    'latchkey_cache_entries_max{cache="leases"} 33',
  ]);
});

test('a reading that fails is left out, and the other metrics are there', async () => {
  const registry = new Registry();
  addGauge(registry, 'latchkey_disk_free_bytes', () => Promise.reject(new Error('gone')));
  addGauge(registry, 'latchkey_disk_size_bytes', () => 7);
  const text = await registry.metrics();
  expect(text).not.toMatch(/^latchkey_disk_free_bytes/m);
  expect(text).toMatch(/^latchkey_disk_size_bytes 7$/m);
});

test('a reading that hangs is left out after a second, and scrapes meanwhile do not start it again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const registry = new Registry();
  let readings = 0;
  addGauge(registry, 'latchkey_active_leases', () => {
    readings++;
    return new Promise<number>(() => {});
  });
  addGauge(registry, 'latchkey_disk_size_bytes', () => 7);
  const scrapes = [registry.metrics(), registry.metrics()];
  await vi.advanceTimersByTimeAsync(1_000);
  for (const text of await Promise.all(scrapes)) {
    expect(text).not.toMatch(/^latchkey_active_leases/m);
    expect(text).toMatch(/^latchkey_disk_size_bytes 7$/m);
  }
  expect(readings).toBe(1);
});

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
