import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderAll, renderOne } from './compositions.fixture.ts';
import { validateObject } from './validate-object.ts';
import { serversOf, workloadsOf } from './workloads.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, '..', 'package.json'), 'utf8'));
const rendered = renderAll(process.env);

/** Without the order of variables, mounts and volumes, which means nothing here. */
const withoutOrder = (object: object) =>
  JSON.stringify(object, (_, value) =>
    Array.isArray(value)
      ? value.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
      : value,
  );

describe.each(rendered)('%s', (_, objects) => {
  test('every object fits the schemas of Kubernetes, without unknown fields', () => {
    expect(objects.flatMap(validateObject)).toEqual([]);
  });

  test('no object occurs twice, and all are in the namespace latchkey', () => {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    const elsewhere = objects.filter(
      ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'latchkey',
    );
    expect(elsewhere).toEqual([]);
  });

  test('every image has a version, and images of Latchkey have this release', () => {
    for (const { container } of workloadsOf(objects)) {
      expect(container.image).toMatch(/^[a-z/.-]+:\d+\.\d+(\.\d+)?$/);
      if (container.image?.includes('latchkey')) expect(container.image).toMatch(`:${version}`);
    }
  });

  test('an image of Latchkey whose registry was not set has a name that nobody can register', () => {
    // `.invalid` never resolves (RFC 2606). On a public registry, anybody could take a plain `latchkey`.
    for (const { name, container } of serversOf(objects))
      expect(container.image, name).toMatch(/^latchkey\.invalid\/[a-z-]+:/);
  });

  test('every ConfigMap that a pod reads exists', () => {
    const maps = objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name);
    const read = workloadsOf(objects).flatMap(({ container }) => container.envFrom ?? []);
    expect(
      read.map(({ configMapRef }) => configMapRef?.name).filter((name) => !maps.includes(name ?? '')),
    ).toEqual([]);
  });

  test('every Service except `nobody` has pods behind it', () => {
    const pods = workloadsOf(objects).map(({ labels }) => labels);
    const services = objects.filter(({ kind, metadata }) => kind === 'Service' && metadata.name !== 'nobody');
    for (const service of services) {
      const { selector } = (service as unknown as { spec: { selector: Record<string, string> } }).spec;
      const behind = pods.filter((labels) =>
        Object.entries(selector).every(([key, value]) => labels[key] === value),
      );
      expect(behind, service.metadata.name).toHaveLength(1);
    }
  });
});

test('every component is part of a tested composition', () => {
  const used = new Set([
    ...rendered.flatMap(([name]) => name.split(' + ')),
    'restricted',
    'serving',
    'custody',
  ]);
  expect(readdirSync(join(root, 'components')).filter((name) => !used.has(name))).toEqual([]);
});

test('the edge process speaks TLS to services in the same way, whichever of edge and internal-tls is named first', () => {
  const byName = (components: string[]) =>
    renderOne(process.env, { overlay: 'distributed', components }).map(
      (object) => [`${object.kind} ${object.metadata.name}`, withoutOrder(object)] as const,
    );
  expect(Object.fromEntries(byName(['edge', 'internal-tls']))).toEqual(
    Object.fromEntries(byName(['internal-tls', 'edge'])),
  );
});

test.each(['ingress', 'gateway-api'])(
  'with the component %s players reach keys, licences and the playlists of sessions, and packagers their keys',
  (component) => {
    const objects = renderOne(process.env, { overlay: 'distributed', components: [component] });
    const text = JSON.stringify(objects.filter(({ kind }) => kind === 'Ingress' || kind === 'HTTPRoute'));
    // Each is the beginning of a path.
    for (const path of ['/keys', '/licenses', '/play', '/speke']) expect(text).toContain(`"${path}"`);
  },
);
