import { findKubectl } from './find-kubectl.ts';
import { type Composition, type KubernetesObject, render } from './render.ts';

/** Secrets and ways out that not every installation has. */
export const optional = [
  'audit-collector',
  'ipv6',
  'setup-token',
  'sign-on',
  'trace-collector',
  'trace-headers',
];
const common = ['jwks', 'master-key-v2', 'pod-monitor', 'presign'];

/** Each overlay alone, and with the components that fit it. */
const compositions: readonly Composition[] = [
  { overlay: 'single' },
  { overlay: 'distributed' },
  { overlay: 'trial' },
  { overlay: 'single', components: [...common, 'ingress', 'playlist-sources', 'webhook-receivers'] },
  { overlay: 'single', components: ['gateway-api', 'vault', ...optional] },
  { overlay: 'single', components: ['aws-kms'] },
  { overlay: 'distributed', components: [...common, 'scale-by-requests', 'ingress', 'webhook-receivers'] },
  { overlay: 'distributed', components: ['gateway-api', 'trial-stores', 'pkcs11'] },
  { overlay: 'distributed', components: ['vault', ...optional] },
  { overlay: 'distributed', components: [...common, 'scale-by-requests', 'ingress', 'edge'] },
  { overlay: 'distributed', components: ['internal-tls'] },
  { overlay: 'distributed', components: ['internal-tls', 'edge'] },
  { overlay: 'distributed', components: ['edge', 'internal-tls'] },
];

/** Each composition takes kubectl some tenths of a second, and most are read by several files. */
const rendered = new Map<string, KubernetesObject[]>();
let kubectl: string | undefined;

/** Name and objects of every composition, for `test.each`. */
export function renderAll(env: NodeJS.ProcessEnv): [name: string, objects: KubernetesObject[]][] {
  return compositions.map((composition) => [
    [composition.overlay, ...(composition.components ?? [])].join(' + '),
    renderOne(env, composition),
  ]);
}

/** The objects of one composition, made once for all tests, which only read them. */
export function renderOne(env: NodeJS.ProcessEnv, composition: Composition): KubernetesObject[] {
  const key = JSON.stringify([composition.overlay, composition.components ?? []]);
  const known = rendered.get(key);
  if (known) return known;
  kubectl ??= findKubectl(env);
  const objects = render(kubectl, composition);
  rendered.set(key, objects);
  return objects;
}
