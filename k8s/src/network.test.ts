import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { expect, test } from 'vitest';
import { renderOne } from './compositions.fixture.ts';
import { findConnections } from './network-graph.ts';
import type { Composition } from './render.ts';
import { workloadsOf } from './workloads.ts';

/** The connections that the policies allow, without DNS, which every pod may use. */
function connections(composition: Composition): string[] {
  const objects = renderOne(process.env, composition);
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as INetworkPolicy[];
  const pods = workloadsOf(objects).map(({ name, labels, container }) => ({
    name,
    labels,
    ports: container.ports ?? [],
  }));
  const all = findConnections(pods as Parameters<typeof findConnections>[0], policies);
  const dns = pods.map(({ name }) => `${name} -> namespace kube-system:53`);
  expect(all).toEqual(expect.arrayContaining(dns));
  return all.filter((connection) => !dns.includes(connection));
}

const servers = ['auth', 'content', 'gateway', 'key-derivation', 'leases'];
const serviceCalls = [
  'gateway -> key-derivation:4101',
  'gateway -> leases:4102',
  'gateway -> auth:4103',
  'gateway -> content:4104',
  'key-derivation -> leases:4102',
  'key-derivation -> auth:4103',
  'key-derivation -> content:4104',
  'leases -> auth:4103',
  'leases -> content:4104',
  'content -> auth:4103',
];
const entrances = [
  'anywhere -> gateway:http',
  ...servers.map((name) => `namespace monitoring -> ${name}:metrics`),
];
const rowOwners = ['auth', 'content', 'leases'];
const cacheUsers = [...rowOwners, 'key-derivation'];

test('the policies of the distributed profile allow the calls between services, the stores to their users, and no more', () => {
  expect(connections({ overlay: 'distributed' })).toEqual(
    [
      ...serviceCalls,
      ...entrances,
      ...[...rowOwners, 'migrate'].map((name) => `${name} -> anywhere:5432`),
      ...cacheUsers.flatMap((name) => [`${name} -> anywhere:6379`, `${name} -> anywhere:4222`]),
    ].sort(),
  );
});

test('with stores in the cluster no connection leaves the namespace', () => {
  expect(connections({ overlay: 'trial' })).toEqual(
    [
      ...serviceCalls,
      ...entrances,
      ...[...rowOwners, 'migrate'].map((name) => `${name} -> postgres:5432`),
      ...cacheUsers.flatMap((name) => [`${name} -> redis:6379`, `${name} -> nats:4222`]),
    ].sort(),
  );
});

test('with a key set, only the services that verify tokens may connect to its port', () => {
  const plain = connections({ overlay: 'distributed' });
  const added = connections({ overlay: 'distributed', components: ['jwks'] }).filter(
    (one) => !plain.includes(one),
  );
  expect(added).toEqual(cacheUsers.map((name) => `${name} -> anywhere:443`).sort());
});

test('presign allows no further connection, because signing needs none', () => {
  for (const overlay of ['single', 'distributed'] as const)
    expect(connections({ overlay, components: ['presign'] })).toEqual(connections({ overlay }));
});

test('the single node can be reached by its port and by Prometheus, and connects to nothing', () => {
  expect(connections({ overlay: 'single' })).toEqual(
    ['anywhere -> latchkey:http', 'namespace monitoring -> latchkey:metrics'].sort(),
  );
});
