import { eventually } from '@latchkey/support/black-box/eventually';
import { post, startMeasured } from '@latchkey/support/black-box/measured-processes';
import {
  readDocumentedMetrics,
  readMetrics,
  type ServedMetrics,
} from '@latchkey/support/black-box/read-metrics';
import { unique } from '@latchkey/support/black-box/unique';
import { expect, test } from 'vitest';

const documented = readDocumentedMetrics();
const { singleNode, separate, adminApiKey, ports } = await startMeasured();
const readAll = () =>
  Promise.all([...ports].map(async ([name, port]) => [name, await readMetrics(port)] as const));

function valuesOf({ samples }: ServedMetrics, name: string, labels: Record<string, string> = {}): number[] {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .map(({ value }) => value);
}

async function readOf(name: string): Promise<ServedMetrics> {
  return readMetrics(ports.get(name) ?? 0);
}

test('every metric that a process of either profile exports is in docs/reference/metrics.md with its type and labels, and every documented one is exported', async () => {
  expect([...ports.keys()].sort()).toEqual([
    'auth',
    'content',
    'gateway',
    'key-derivation',
    'leases',
    'playback',
    'single-node',
  ]);
  const exported = new Set<string>();
  for (const [, { types, samples }] of await readAll()) {
    for (const [name, type] of types) {
      // The library itself documents the metrics that it exports about the process and Node.
      if (/^(process|nodejs)_/.test(name)) continue;
      exported.add(name);
      expect([name, documented.get(name)?.type]).toEqual([name, type]);
    }
    for (const { name, labels } of samples) {
      const known = documented.get(name) ?? documented.get(name.replace(/_(bucket|sum|count)$/, ''));
      const others = Object.keys(labels).filter((label) => !['service', 'le'].includes(label));
      if (known) expect([name, others.filter((label) => !known.labels.includes(label))]).toEqual([name, []]);
    }
  }
  expect([...documented.keys()].filter((name) => !exported.has(name))).toEqual([]);
});

test('every series has the name of its service, so that a key request that gateway and replica both measure is told apart', async () => {
  for (const [name, { samples }] of await readAll()) {
    expect(samples.length).toBeGreaterThan(50);
    expect([name, samples.filter(({ labels }) => labels.service !== name)]).toEqual([name, []]);
  }
});

test('the change feed of a process is young, below its limit, and the process is sure of its states', async () => {
  for (const name of ['single-node', 'key-derivation', 'leases', 'playback'])
    await eventually(async () => {
      const served = await readOf(name);
      const [age = Number.NaN] = valuesOf(served, 'latchkey_feed_age_seconds');
      expect(valuesOf(served, 'latchkey_feed_limit_seconds')).toEqual([5]);
      expect(age).toBeLessThan(5);
      expect(valuesOf(served, 'latchkey_replica_unsure')).toEqual([0]);
    });
  expect(valuesOf(await readOf('gateway'), 'latchkey_feed_age_seconds')).toEqual([]);
});

test('the dependencies of /ready are metrics, and the services that the gateway calls are among its own', async () => {
  await eventually(async () => {
    for (const dependency of ['key-derivation', 'leases', 'auth', 'content', 'playback', 'database'])
      expect([
        dependency,
        valuesOf(await readOf('gateway'), 'latchkey_dependency_up', { dependency }),
      ]).toEqual([dependency, [1]]);
  });
});

test('a process on Postgres has figures of its connections and none of a disk, and one on SQLite the other way round', async () => {
  const [leases, single] = [await readOf('leases'), await readOf('single-node')];
  expect(valuesOf(leases, 'latchkey_database_connections_max')).toEqual([10]);
  expect(valuesOf(leases, 'latchkey_database_waiting')).toEqual([0]);
  const [used = 0] = valuesOf(leases, 'latchkey_database_connections', { state: 'used' });
  const [idle = 0] = valuesOf(leases, 'latchkey_database_connections', { state: 'idle' });
  expect(used + idle).toBeGreaterThan(0);
  expect(valuesOf(leases, 'latchkey_disk_free_bytes')).toEqual([]);
  expect(valuesOf(single, 'latchkey_database_connections')).toEqual([]);
  const [free = 0] = valuesOf(single, 'latchkey_disk_free_bytes');
  const [size = 0] = valuesOf(single, 'latchkey_disk_size_bytes');
  expect(free).toBeGreaterThan(0);
  expect(size).toBeGreaterThan(free);
});

test('a replica that pulls changes because there is no NATS measures the delay of a revocation', async () => {
  const delays = async () =>
    valuesOf(await readOf('key-derivation'), 'latchkey_revocation_delay_seconds_count')[0] ?? 0;
  const before = await delays();
  const body = { viewerId: unique('viewer') };
  const answer = await post(separate.url, '/keys/leases/revoke', adminApiKey, body);
  expect(answer.status).toBe(200);
  await eventually(async () => expect(await delays()).toBe(before + 1));
});

test('requests beyond a limit are counted by the limit', async () => {
  const headers = { authorization: `Bearer nonsense` };
  const ask = async () => (await fetch(`${singleNode.url}/keys/${unique('content')}`, { headers })).status;
  expect([await ask(), await ask(), await ask()]).toEqual([401, 429, 429]);
  expect(
    valuesOf(await readOf('single-node'), 'latchkey_rate_limited_requests_total', { limit: 'keys' }),
  ).toEqual([2]);
});
