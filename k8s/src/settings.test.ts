import { createHash } from 'node:crypto';
import * as config from '@latchkey/shared/config';
import { describe, expect, test } from 'vitest';
import { renderAll, renderOne } from './compositions.fixture.ts';
import type { KubernetesObject } from './render.ts';
import { serversOf, type Workload, workloadsOf } from './workloads.ts';

/** The variables that a process gets from its ConfigMaps and its own list, as Kubernetes puts them together. */
function environmentOf(
  { container }: Workload,
  objects: readonly KubernetesObject[],
): Record<string, string> {
  const maps = (container.envFrom ?? []).map(({ configMapRef }) => {
    const map = objects.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name,
    );
    return (map as { data?: Record<string, string> } | undefined)?.data;
  });
  const own = (container.env ?? []).map(({ name, value }) => [name, value ?? '']);
  return Object.assign({}, ...maps, Object.fromEntries(own));
}

const known = new Set(
  [
    config.singleNodeSettings,
    config.internalVariables,
    config.cacheAndBusVariables,
    config.serviceUrlVariables,
    config.databaseRoleVariables,
  ].flatMap((settings) => config.descriptionsOf(settings).map(({ name }) => name)),
);

/** Variables that a library reads: the SDK of AWS. */
known.add('AWS_REGION');

describe.each(renderAll(process.env))('%s', (_, objects) => {
  const own = workloadsOf(objects).filter(({ container }) =>
    container.image?.startsWith('latchkey.invalid/'),
  );

  test.each(own.map((workload) => [workload.name, workload] as const))(
    '%s gets only variables that Latchkey reads',
    (_name, workload) => {
      const environment = environmentOf(workload, objects);
      // `MASTER_KEY_HEX_V2` belongs to the family of `MASTER_KEY_HEX`.
      const names = Object.keys(environment).map((name) => name.replace(/_FILE$/, '').replace(/_V\d+$/, ''));
      expect(names.filter((name) => !known.has(name) && !known.has(`${name}_FILE`))).toEqual([]);
    },
  );
});

test('the URL of each service names its Service and its port', () => {
  const objects = renderOne(process.env, { overlay: 'distributed' });
  const gateway = workloadsOf(objects).find(({ name }) => name === 'gateway') as Workload;
  const addresses = Object.entries(environmentOf(gateway, objects)).filter(([name]) =>
    name.endsWith('_SERVICE_URL'),
  );
  expect(addresses).toHaveLength(5);
  for (const [, address] of addresses) {
    const { hostname, port } = new URL(address);
    const service = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === hostname);
    const { spec } = service as unknown as { spec: { ports: { port: number; targetPort: string }[] } };
    expect(spec.ports).toMatchObject([{ port: Number(port), targetPort: 'http' }]);
    const pods = workloadsOf(objects).find(({ name }) => name === hostname);
    // A headless name resolves to the pods, so Service and pod have the same port.
    expect(pods?.container.ports).toContainEqual({ name: 'http', containerPort: Number(port) });
  }
});

test('with internal-tls, the services and what calls them have the certificate, and what clients call is probed without TLS', () => {
  for (const [components, doors] of [
    [['internal-tls'], ['gateway']],
    [['internal-tls', 'edge'], ['key-derivation']],
  ] as const) {
    const objects = renderOne(process.env, { overlay: 'distributed', components: [...components] });
    const servers = workloadsOf(objects).filter(({ kind }) => kind === 'Deployment');
    expect(servers).toHaveLength(components.length === 1 ? 6 : 5);
    for (const server of servers) {
      const environment = environmentOf(server, objects);
      expect(environment, server.name).toMatchObject({
        INTERNAL_TLS_CA_FILE: '/run/secrets/internal-tls/ca.crt',
        INTERNAL_TLS_CERT_FILE: '/run/secrets/internal-tls/tls.crt',
        INTERNAL_TLS_KEY_FILE: '/run/secrets/internal-tls/tls.key',
      });
      for (const [name, url] of Object.entries(environment))
        if (name.endsWith('_SERVICE_URL')) expect(url, `${server.name} ${name}`).toMatch(/^https:/);
      const scheme = server.container.readinessProbe?.httpGet?.scheme ?? 'HTTP';
      expect([server.name, scheme]).toEqual([
        server.name,
        (doors as readonly string[]).includes(server.name) ? 'HTTP' : 'HTTPS',
      ]);
    }
  }
});

test('with the component ipv6 every process listens on all addresses of IPv6 and IPv4, also for its metrics', () => {
  const [, objects] = renderAll(process.env).find(([name]) => /^distributed.* ipv6/.test(name)) ?? [];
  const servers = serversOf(objects ?? []);
  expect(servers).toHaveLength(6);
  for (const server of servers)
    expect(environmentOf(server, objects ?? [])).toMatchObject({ HOST: '::', METRICS_HOST: '::' });
});

test.each([[[]], [['jwks', 'master-key-v2', 'ingress', 'presign']]])(
  'the single node with the components %j starts with its settings and without warnings',
  (components) => {
    // Each differs: production refuses a salt that is the master key, and a secret that repeats a pattern.
    const secretOf = (name: string) => createHash('sha256').update(name).digest('hex');
    const objects = renderOne(process.env, { overlay: 'single', components });
    const given = environmentOf(workloadsOf(objects)[0] as Workload, objects);
    const environment = Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        const secret = name.replace(/_FILE$/, '');
        return name === secret ? [name, value] : [secret, secretOf(secret)];
      }),
    );
    const { values, warnings } = config.readSingleNodeConfig(environment);
    expect(warnings).toEqual([]);
    expect(values).toMatchObject({ nodeEnv: 'production', rateLimit: 'off', metricsHost: '0.0.0.0' });
    expect(values.enablePresign).toBe((components as string[]).includes('presign'));
  },
);
