import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { expect, test } from 'vitest';
import { renderOne } from './compositions.fixture.ts';
import { findConnections } from './network-graph.ts';
import type { Composition } from './render.ts';
import { workloadsOf } from './workloads.ts';

/** What the policies let through, without the look-up of names, which every pod may do. */
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
const neighbours = [
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

test('the distributed profile lets through the arrows of the picture, the stores to those that use them, and no more', () => {
  expect(connections({ overlay: 'distributed' })).toEqual(
    [
      ...neighbours,
      ...entrances,
      ...[...rowOwners, 'migrate'].map((name) => `${name} -> anywhere:5432`),
      ...cacheUsers.flatMap((name) => [`${name} -> anywhere:6379`, `${name} -> anywhere:4222`]),
    ].sort(),
  );
});

test('with stores of its own nothing leaves the namespace', () => {
  expect(connections({ overlay: 'trial' })).toEqual(
    [
      ...neighbours,
      ...entrances,
      ...[...rowOwners, 'migrate'].map((name) => `${name} -> postgres:5432`),
      ...cacheUsers.flatMap((name) => [`${name} -> redis:6379`, `${name} -> nats:4222`]),
    ].sort(),
  );
});

test('with a key set those that verify tokens reach it, and nobody else leaves by that port', () => {
  const plain = connections({ overlay: 'distributed' });
  const added = connections({ overlay: 'distributed', components: ['jwks'] }).filter(
    (one) => !plain.includes(one),
  );
  expect(added).toEqual(cacheUsers.map((name) => `${name} -> anywhere:443`).sort());
});

test('to sign for a bucket is arithmetic: with presign nothing more is let through', () => {
  for (const overlay of ['single', 'distributed'] as const)
    expect(connections({ overlay, components: ['presign'] })).toEqual(connections({ overlay }));
});

test('the single node is reached by its door and asks nobody', () => {
  expect(connections({ overlay: 'single' })).toEqual(
    ['anywhere -> latchkey:http', 'namespace monitoring -> latchkey:metrics'].sort(),
  );
});
