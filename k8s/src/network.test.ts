import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { expect, test } from 'vitest';
import { optional, renderOne } from './compositions.fixture.ts';
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

const servers = ['auth', 'content', 'gateway', 'key-derivation', 'leases', 'playback'];
const serviceCalls = [
  'gateway -> key-derivation:4101',
  'gateway -> leases:4102',
  'gateway -> auth:4103',
  'gateway -> content:4104',
  'gateway -> playback:4105',
  'playback -> leases:4102',
  'playback -> content:4104',
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
const tokenVerifiers = [...rowOwners, 'key-derivation'];
const cacheUsers = [...tokenVerifiers, 'playback'];
/** The internet, without addresses that only a cluster, a machine or a private network knows. */
const toSources = (name: string) =>
  ['0.0.0.0/0', '2000::/3'].flatMap((range) => [443, 80].map((port) => `${name} -> ${range}:${port}`));

test('the policies of the distributed profile allow the calls between services, the stores to their users, and no more', () => {
  expect(connections({ overlay: 'distributed' })).toEqual(
    [
      ...serviceCalls,
      ...entrances,
      ...[...rowOwners, 'migrate'].map((name) => `${name} -> anywhere:5432`),
      ...cacheUsers.flatMap((name) => [`${name} -> anywhere:6379`, `${name} -> anywhere:4222`]),
      ...toSources('playback'),
    ].sort(),
  );
});

test('with stores in the cluster only playback has connections that leave the namespace, to the sources of playlists', () => {
  expect(connections({ overlay: 'trial' })).toEqual(
    [
      ...serviceCalls,
      ...entrances,
      ...[...rowOwners, 'migrate'].map((name) => `${name} -> postgres:5432`),
      ...cacheUsers.flatMap((name) => [`${name} -> redis:6379`, `${name} -> nats:4222`]),
      ...toSources('playback'),
    ].sort(),
  );
});

test('with a key set, only the services that verify tokens may connect to its port', () => {
  const plain = connections({ overlay: 'distributed' });
  const added = connections({ overlay: 'distributed', components: ['jwks'] }).filter(
    (one) => !plain.includes(one),
  );
  expect(added).toEqual(tokenVerifiers.map((name) => `${name} -> anywhere:443`).sort());
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

test('the single node connects to the sources of playlists with the component for them', () => {
  const added = connections({ overlay: 'single', components: ['playlist-sources'] }).filter(
    (one) => !connections({ overlay: 'single' }).includes(one),
  );
  expect(added).toEqual(toSources('latchkey').sort());
});

test('with the component for receivers of webhooks, auth alone may connect to the internet by HTTPS', () => {
  const plain = connections({ overlay: 'distributed' });
  const added = connections({ overlay: 'distributed', components: ['webhook-receivers'] }).filter(
    (one) => !plain.includes(one),
  );
  expect(added).toEqual(['auth -> 0.0.0.0/0:443', 'auth -> 2000::/3:443']);
  expect(connections({ overlay: 'single', components: ['webhook-receivers'] })).toEqual(
    expect.arrayContaining(['latchkey -> 0.0.0.0/0:443', 'latchkey -> 2000::/3:443']),
  );
});

test('the components for Vault and for the collectors of the audit and of traces open one port each, to the pods that need it', () => {
  const plain = connections({ overlay: 'distributed' });
  const added = connections({ overlay: 'distributed', components: ['vault', ...optional] }).filter(
    (one) => !plain.includes(one),
  );
  expect(added).toEqual(
    [
      'auth -> anywhere:601',
      'key-derivation -> anywhere:8200',
      ...servers.map((name) => `${name} -> anywhere:4318`),
    ].sort(),
  );
});

test('with the master key in AWS KMS, the pod that derives keys reaches port 443 and nothing else is opened', () => {
  const plain = connections({ overlay: 'single' });
  const added = connections({ overlay: 'single', components: ['aws-kms'] }).filter(
    (one) => !plain.includes(one),
  );
  expect(added).toEqual(['latchkey -> anywhere:443']);
});

test('before the edge process, playback is called by its pods alone', () => {
  const callers = connections({ overlay: 'distributed', components: ['edge'] }).filter((one) =>
    one.endsWith('-> playback:4105'),
  );
  expect(callers).toEqual(['key-derivation -> playback:4105']);
});

test.each([
  ['playback', 'reach-playlist-sources'],
  ['auth', 'reach-webhook-receivers'],
])(
  '%s reaches no address of the cluster, of a private network or of the metadata of a cloud',
  (_name, policyName) => {
    const policy = renderOne(process.env, {
      overlay: 'distributed',
      components: ['webhook-receivers'],
    }).find(({ metadata }) => metadata.name === policyName) as unknown as INetworkPolicy;
    const ranges = (policy.spec?.egress ?? []).flatMap(({ to }) => to ?? []).map(({ ipBlock }) => ipBlock);
    const inside = [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '169.254.0.0/16',
      '100.64.0.0/10',
      '127.0.0.0/8',
    ];
    expect(ranges.find((block) => block?.cidr === '0.0.0.0/0')?.except).toEqual(
      expect.arrayContaining(inside),
    );
  },
);
