import { addGauge, createMetrics, type Metrics } from '@latchkey/shared/metrics';
import { createManualClock } from '@latchkey/shared/testing';
import { expect, it } from 'vitest';
import { createWorkerFigures, type FiguredWorker } from './worker-figures.ts';

const clock = createManualClock();

function stage() {
  const workers: FiguredWorker[] = [];
  const figures = createWorkerFigures(() => workers, createMetrics(clock).registry);
  const add = (id: number) => {
    const metrics = createMetrics(clock);
    const state = { isStuck: false };
    const call = async (name: string) => {
      if (state.isStuck) throw new Error('no answer');
      const value =
        name === 'metrics' ? await metrics.registry.getMetricsAsJSON() : metrics.statistics.report(0);
      return JSON.parse(JSON.stringify(value));
    };
    workers.push({ id, calls: { call } as unknown as FiguredWorker['calls'] });
    return { metrics, state };
  };
  const remove = (id: number) => {
    workers.splice(
      workers.findIndex((worker) => worker.id === id),
      1,
    );
    figures.retire(id);
  };
  return { figures, add, remove };
}

function serve({ metrics }: { metrics: Metrics }, times: number): void {
  for (let n = 0; n < times; n++) {
    metrics.countKeyRequest('served');
    metrics.observeRequest('/keys/:contentId', 'GET', 200, 0.001);
  }
}

const served = /^latchkey_key_requests_total\{outcome="served"\} (\d+)$/m;
const timed = /^http_server_request_duration_seconds_count\{.*\} (\d+)$/m;
const inBucket = /^http_server_request_duration_seconds_bucket\{[^}]*le="0.001"[^}]*\} (\d+)$/m;

it('metrics are those of all workers together, and no count goes back when one ends', async () => {
  const { figures, add, remove } = stage();
  const [one, two] = [add(1), add(2)];
  serve(one, 3);
  serve(two, 4);
  const read = async () => {
    const text = await figures.metrics();
    return [served, timed, inBucket].map((form) => Number(form.exec(text)?.[1]));
  };
  expect(await read()).toEqual([7, 7, 7]);
  remove(1);
  expect(await read()).toEqual([7, 7, 7]);
  serve(add(3), 2);
  expect(await read()).toEqual([9, 9, 9]);
  remove(3);
  remove(2);
  expect(await read()).toEqual([9, 9, 9]);
});

it('gauges of workers are joined by what they mean: sizes are added up, and of ages, limits and event loops the worst counts', async () => {
  const { figures, add } = stage();
  for (const n of [1, 2, 3]) {
    const { metrics } = add(n);
    addGauge(metrics.registry, 'latchkey_cache_entries', () => [[{ cache: 'leases' }, n]]);
    addGauge(metrics.registry, 'latchkey_feed_age_seconds', () => n / 10);
    addGauge(metrics.registry, 'latchkey_replica_unsure', () => (n === 2 ? 1 : 0));
    addGauge(metrics.registry, 'latchkey_feed_limit_seconds', () => 5);
    addGauge(metrics.registry, 'latchkey_build_info', () => [[{ version: '1', node: '24' }, 1]]);
  }
  const text = await figures.metrics();
  for (const line of [
    'latchkey_cache_entries{cache="leases"} 6',
    'latchkey_feed_age_seconds 0.3',
    'latchkey_replica_unsure 1',
    'latchkey_feed_limit_seconds 5',
    'latchkey_build_info{version="1",node="24"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  const [, started] = /^process_start_time_seconds (\d+)$/m.exec(text) ?? [];
  expect(Number(started)).toBeLessThanOrEqual(Date.now() / 1_000);
});

it('the last known counts stand in for a worker that does not answer', async () => {
  const { figures, add } = stage();
  const one = add(1);
  serve(one, 3);
  await figures.metrics();
  one.state.isStuck = true;
  expect(await figures.metrics()).toMatch(served);
  expect(Number(served.exec(await figures.metrics())?.[1])).toBe(3);
});

it('the statistics have the requests of workers that have ended, and name those that do not answer', async () => {
  const { figures, add, remove } = stage();
  serve(add(1), 3);
  const two = add(2);
  serve(two, 4);
  await figures.gather(0);
  remove(1);
  two.state.isStuck = true;
  const { all, missing } = await figures.gather(0);
  expect(missing).toEqual([{ service: 'key-derivation', address: 'worker 2' }]);
  expect(all.flatMap(({ keyRequests }) => keyRequests).reduce((sum, { count }) => sum + count, 0)).toBe(3);
});
