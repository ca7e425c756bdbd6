import { describe, expect, test } from 'vitest';
import { renderAll, renderOne } from './compositions.fixture.ts';
import { workloadsOf } from './workloads.ts';

const secretNames =
  /^(MASTER_KEY_HEX|SALT_HEX|ADMIN_API_KEY|SETUP_TOKEN|DASHBOARD_USER_SECRET|INTERNAL_SECRET|AUTH_JWT_SECRET|OTEL_EXPORTER_OTLP_HEADERS|PKCS11_PIN|VAULT_(TOKEN|ROLE_ID|SECRET_ID)|DATABASE_URL|REDIS_URL|NATS_URL|AWS_(ACCESS|SECRET)|POSTGRES_PASSWORD|(AUTH|CONTENT|LEASES)_DATABASE_PASSWORD)/;

/** Which Secrets each workload mounts. */
function mountedSecrets(objects: Parameters<typeof workloadsOf>[0]): Record<string, string[]> {
  return Object.fromEntries(
    workloadsOf(objects).map(({ name, pod }) => [
      name,
      (pod.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? []).sort(),
    ]),
  );
}

const rows = (service: string) => [
  'latchkey-internal',
  'latchkey-nats',
  `latchkey-postgres-${service}`,
  'latchkey-redis',
  'latchkey-viewer-tokens',
];

test('each process of the distributed profile mounts the Secrets that it uses and no other', () => {
  expect(mountedSecrets(renderOne(process.env, { overlay: 'distributed' }))).toEqual({
    gateway: ['latchkey-internal'],
    'key-derivation': [
      'latchkey-internal',
      'latchkey-master-key',
      'latchkey-nats',
      'latchkey-redis',
      'latchkey-viewer-tokens',
    ],
    leases: rows('leases'),
    auth: ['latchkey-admin', ...rows('auth')],
    content: rows('content'),
    playback: ['latchkey-internal', 'latchkey-nats', 'latchkey-redis'],
    migrate: [
      'latchkey-postgres',
      'latchkey-postgres-auth',
      'latchkey-postgres-content',
      'latchkey-postgres-leases',
    ],
  });
});

test.each([
  ['single', 'latchkey'],
  ['distributed', 'content'],
] as const)(
  "the bucket's credentials are mounted in the %s profile by %s alone, and only with presign",
  (overlay, holder) => {
    const holders = (components: string[]) =>
      Object.entries(mountedSecrets(renderOne(process.env, { overlay, components })))
        .filter(([, secrets]) => secrets.includes('latchkey-bucket'))
        .map(([name]) => name);
    expect(holders([])).toEqual([]);
    expect(holders(['presign'])).toEqual([holder]);
  },
);

const services = ['auth', 'content', 'gateway', 'key-derivation', 'leases', 'playback'];

test.each([
  ['setup-token', 'latchkey-setup-token', ['auth']],
  ['sign-on', 'latchkey-sign-on', ['gateway']],
  ['trace-headers', 'latchkey-trace-headers', services],
  ['vault', 'latchkey-vault', ['key-derivation']],
  ['pkcs11', 'latchkey-pkcs11', ['key-derivation']],
] as const)('the component %s gives the Secret %s to %j alone', (component, secret, readers) => {
  const composition = renderAll(process.env).find(
    ([name]) => name.startsWith('distributed') && name.split(' + ').includes(component),
  );
  const holders = Object.entries(mountedSecrets(composition?.[1] ?? [])).filter(([, secrets]) =>
    secrets.includes(secret),
  );
  expect(holders.map(([name]) => name).sort()).toEqual(readers);
});

test.each([
  ['single', ['aws-kms']],
  ['distributed', ['gateway-api', 'trial-stores', 'pkcs11']],
] as const)('in the %s profile with %j no pod has the master key', (overlay, components) => {
  const workloads = workloadsOf(renderOne(process.env, { overlay, components }));
  const named = workloads.flatMap(({ pod, container }) => [
    ...(pod.volumes ?? []).map(({ secret }) => secret?.secretName),
    ...(container.env ?? []).map(({ name }) => name),
  ]);
  expect(named.filter((name) => /master-key|MASTER_KEY|SALT/.test(name ?? ''))).toEqual([]);
});

test("with a key set no pod mounts the shared secret of viewers' tokens", () => {
  for (const overlay of ['single', 'distributed'] as const) {
    const mounted = mountedSecrets(renderOne(process.env, { overlay, components: ['jwks'] }));
    expect(Object.values(mounted).flat()).not.toContain('latchkey-viewer-tokens');
  }
});

test.each([
  ['single', 'latchkey'],
  ['distributed', 'key-derivation'],
] as const)('a second version of the master key is read in the %s profile by %s alone', (overlay, holder) => {
  const workloads = workloadsOf(renderOne(process.env, { overlay, components: ['master-key-v2'] }));
  const readers = workloads.filter(({ container }) =>
    container.env?.some(({ name }) => name.includes('_V2')),
  );
  expect(readers.map(({ name }) => name)).toEqual([holder]);
  const path = '/run/secrets/master-key';
  expect(readers[0]?.container.env).toEqual(
    expect.arrayContaining([
      { name: 'MASTER_KEY_HEX_FILE', value: `${path}/MASTER_KEY_HEX` },
      { name: 'MASTER_KEY_HEX_V2_FILE', value: `${path}/MASTER_KEY_HEX_V2` },
      { name: 'SALT_HEX_V2_FILE', value: `${path}/SALT_HEX_V2` },
    ]),
  );
});

describe.each(renderAll(process.env))('%s', (_, objects) => {
  test('no Secret, setting or variable of the manifests contains a secret value', () => {
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const settings = objects.flatMap((object) => Object.keys((object as { data?: object }).data ?? {}));
    const variables = workloadsOf(objects).flatMap(({ container }) => container.env ?? []);
    const names = [...settings, ...variables.map(({ name }) => name)];
    expect(names.filter((name) => secretNames.test(name) && !name.endsWith('_FILE'))).toEqual([]);
    expect(variables.filter(({ valueFrom }) => valueFrom)).toEqual([]);
    expect(
      workloadsOf(objects)
        .flatMap(({ container }) => container.envFrom ?? [])
        .filter(({ secretRef }) => secretRef),
    ).toEqual([]);
  });

  test('every Secret is mounted read-only, for the group of the process alone, and where a variable names it', () => {
    for (const { name, pod, container } of workloadsOf(objects)) {
      for (const volume of (pod.volumes ?? []).filter(({ secret }) => secret)) {
        const mount = container.volumeMounts?.find((candidate) => candidate.name === volume.name);
        expect(volume.secret?.defaultMode, `${name} ${volume.name}`).toBe(0o440);
        expect(mount, `${name} ${volume.name}`).toMatchObject({ readOnly: true });
        const looks = container.env?.some(({ value }) => value?.startsWith(`${mount?.mountPath}/`));
        expect(looks, `${name} ${volume.name}`).toBe(true);
      }
      const files = (container.env ?? []).filter((variable) => variable.name.endsWith('_FILE'));
      const mounted = container.volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
      const nowhere = files.filter(({ value }) => !mounted.some((path) => value?.startsWith(`${path}/`)));
      expect(nowhere, name).toEqual([]);
    }
  });
});
