import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { makeClone, runBlock } from '@latchkey/support/documents/run-block';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { optional, renderOne } from './compositions.fixture.ts';
import { findKubectl } from './find-kubectl.ts';
import { workloadsOf } from './workloads.ts';

// Each `latchkey` and each kubectl is a process of its own.
vi.setConfig({ testTimeout: 120_000 });

const readme = readDocument('k8s/README.md');
const blocks = readBlocks(readme);
const upgrading = findBlock(blocks, 'sh', 'delete job migrate');
const making = findBlock(blocks, 'sh', 'keygen --out latchkey.env');

/** An inline command of the steps of "Rotating the master key". */
function findStep(words: string): string {
  const step = [...readme.matchAll(/^\d\. `([^`]+)`/gm)].find(([, text]) => text?.includes(words))?.[1];
  if (!step) throw new Error(`no step has "${words}"`);
  return step;
}

/**
 * A kubectl without a cluster: the real one makes the objects, and what would be sent to the cluster is kept in files.
 */
function openShell() {
  const cwd = mkdtempSync(join(tmpdir(), 'latchkey-k8s-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  makeClone(cwd);
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh
case "$*" in
  *--dry-run=client*) exec ${JSON.stringify(findKubectl(process.env))} "$@" ;;
  'apply -f -') cat >> applied.yaml; echo --- >> applied.yaml ;;
  *) echo "$*" >> calls ;;
esac
`;
  writeFileSync(join(bin, 'kubectl'), script);
  chmodSync(join(bin, 'kubectl'), 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: cwd };
  return { cwd, run: (text: string) => runBlock(text, { cwd, env }) };
}

interface Secret {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data: Readonly<Record<string, string>>;
}

/** The Secrets that were applied, by name: the last one of each. */
function readSecrets(cwd: string): Record<string, Record<string, string>> {
  const applied = parseAllDocuments(readFileSync(join(cwd, 'applied.yaml'), 'utf8'))
    .map((document) => document.toJS() as Secret | null)
    .filter((object) => object !== null);
  return Object.fromEntries(
    applied.map(({ metadata, data }) => {
      expect(metadata.namespace).toBe('latchkey');
      const values = Object.entries(data).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString(),
      ]);
      return [metadata.name, Object.fromEntries(values)];
    }),
  );
}

/** The files that a workload reads from its Secrets, as `latchkey-redis/REDIS_URL`. */
function findReadKeys(composition: Parameters<typeof renderOne>[1]): string[] {
  return workloadsOf(renderOne(process.env, composition)).flatMap(({ pod, container }) =>
    (container.env ?? []).flatMap(({ value = '' }) =>
      (container.volumeMounts ?? []).flatMap(({ name, mountPath }) => {
        const secret = pod.volumes?.find((volume) => volume.name === name)?.secret?.secretName;
        return secret && value.startsWith(`${mountPath}/`)
          ? [`${secret}/${value.slice(mountPath.length + 1)}`]
          : [];
      }),
    ),
  );
}

/** A file of `…_PREVIOUS` may be missing, and is until a secret is replaced. */
const isNeeded = (key: string) => !key.endsWith('_PREVIOUS');

test('the commands of k8s/README.md make every Secret and every key that a pod reads, and the rotation adds the second version', async () => {
  const { cwd, run } = openShell();
  // The files that an operator writes, with the lines that the comments show.
  for (const [, file = '', comment = ''] of making.matchAll(/< (\w+\.env) +# (.*)$/gm))
    writeFileSync(
      join(cwd, file),
      [...comment.matchAll(/([A-Z0-9_]+)=([^\s,;]+)/g)]
        .map(([, name, value]) => `${name}=${value}\n`)
        .join(''),
    );
  await run(making);
  const first = readSecrets(cwd);
  const has = (secrets: typeof first, key: string) => {
    const [secret = '', name = ''] = key.split('/');
    return Boolean(secrets[secret]?.[name]);
  };
  for (const composition of [
    { overlay: 'single', components: ['presign'] },
    { overlay: 'distributed', components: ['presign'] },
    { overlay: 'distributed', components: ['vault', ...optional] },
    { overlay: 'distributed', components: ['gateway-api', 'trial-stores', 'pkcs11'] },
    { overlay: 'trial' },
  ] as const) {
    const read = findReadKeys(composition).filter(isNeeded);
    expect(read.length).toBeGreaterThan(3);
    expect(read.filter((key) => !has(first, key))).toEqual([]);
  }
  const url = new URL(first['latchkey-postgres-leases']?.DATABASE_URL ?? '');
  expect(url.username).toBe('latchkey_leases');
  expect(url.password).toBe(first['latchkey-postgres-leases']?.PASSWORD);

  const put = /^put\(\).*$/m.exec(making)?.[0];
  await run([put, findStep('keygen --version-number 2'), findStep('put latchkey-master-key')].join('\n'));
  const second = readSecrets(cwd);
  const read = findReadKeys({ overlay: 'distributed', components: ['master-key-v2'] }).filter(isNeeded);
  expect(read.filter((key) => key.includes('_V2'))).toHaveLength(2);
  expect(read.filter((key) => !has(second, key))).toEqual([]);
  expect(second['latchkey-master-key']).toMatchObject(first['latchkey-master-key'] ?? {});
});

test('the commands of an upgrade in k8s/README.md name objects and labels that the manifests have', async () => {
  const { cwd, run } = openShell();
  await run(upgrading);
  const calls = readFileSync(join(cwd, 'calls'), 'utf8').trim().split('\n');
  expect(calls.map((call) => call.replace(/^-n latchkey /, '').split(' ')[0])).toEqual([
    'delete',
    'apply',
    'wait',
    'apply',
    'rollout',
  ]);
  const objects = renderOne(process.env, { overlay: 'distributed' });
  expect(objects.filter(({ kind, metadata }) => kind === 'Job' && metadata.name === 'migrate')).toHaveLength(
    1,
  );
  const selected = (call = '') => {
    const [, label, value] = /-l (\S+)=(\S+)/.exec(call) ?? [];
    return objects.filter(
      ({ metadata }) => (metadata as { labels?: Record<string, string> }).labels?.[label ?? ''] === value,
    );
  };
  // Without its account the pod of the Job could not be made.
  expect(selected(calls[1]).map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
    'ServiceAccount/migrate',
    'Job/migrate',
  ]);
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  expect(selected(calls[4]).filter(({ kind }) => kind === 'Deployment')).toEqual(deployments);
});

test('the overlay that k8s/README.md shows names folders and settings of the manifests', () => {
  const shown = parse(findBlock(blocks, 'yaml', 'kind: Kustomization'));
  const [base] = shown.resources as string[];
  const [component] = shown.components as string[];
  expect([base, component]).toEqual([
    'latchkey/k8s/overlays/distributed',
    'latchkey/k8s/components/gateway-api',
  ]);
  const objects = renderOne(process.env, { overlay: 'distributed', components: ['gateway-api'] });
  const [merged] = shown.configMapGenerator as { name: string; literals: string[] }[];
  const settings = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith(`${merged?.name}-`),
  ) as { data?: Record<string, string> } | undefined;
  for (const literal of merged?.literals ?? [])
    expect(settings?.data).toHaveProperty(literal.split('=')[0] ?? '');
  const images = workloadsOf(objects).map(({ container }) => (container as { image: string }).image);
  for (const { name, newTag } of shown.images as { name: string; newTag: string }[])
    expect(images).toContain(`${name}:${newTag}`);
});
