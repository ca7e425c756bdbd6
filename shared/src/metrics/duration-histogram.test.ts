import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { DurationHistogram } from './duration-histogram.ts';

const name = 'http_server_request_duration_seconds';
const help = 'Duration.';
const labelNames = ['route', 'method', 'status'];
const buckets = [0.0005, 0.001, 5];
const observed: [labels: Record<string, string>, seconds: number][] = [
  [{ route: '/keys/:contentId', method: 'GET', status: '200' }, 0.0004],
  [{ route: '/keys/:contentId', method: 'GET', status: '200' }, 0.0005],
  [{ route: 'a "quoted" \\ route', method: 'GET', status: '404' }, 0.7],
  [{ route: '/keys/:contentId', method: 'GET', status: '200' }, 6],
];

test('the text for Prometheus is the same as the text of the library, byte by byte, for several sets of labels and values on a bound', async () => {
  const [own, library] = [new Registry(), new Registry()];
  const ours = new DurationHistogram({ name, help, labelNames, buckets, registers: [own] });
  const theirs = new Histogram({ name, help, labelNames, buckets, registers: [library] });
  const open = new Map<string, (seconds: number) => void>();
  for (const [labels, seconds] of observed) {
    const id = JSON.stringify(labels);
    const observe = open.get(id) ?? ours.open(labels);
    open.set(id, observe);
    observe(seconds);
    theirs.observe(labels, seconds);
  }
  expect(await own.metrics()).toBe(await library.metrics());
});

test('a histogram that has observed nothing shows no series', async () => {
  const registry = new Registry();
  new DurationHistogram({ name, help, labelNames, buckets, registers: [registry] });
  expect(await registry.metrics()).not.toContain('_bucket{');
});
