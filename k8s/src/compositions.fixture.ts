import { findKubectl } from './find-kubectl.ts';
import { type Composition, type KubernetesObject, render } from './render.ts';

const common = ['jwks', 'master-key-v2', 'pod-monitor', 'presign'];

/** Each overlay alone, and with the components that fit it. */
const compositions: readonly Composition[] = [
  { overlay: 'single' },
  { overlay: 'distributed' },
  { overlay: 'trial' },
  { overlay: 'single', components: [...common, 'ingress', 'playlist-sources', 'webhook-receivers'] },
  { overlay: 'single', components: ['gateway-api'] },
  { overlay: 'distributed', components: [...common, 'scale-by-requests', 'ingress', 'webhook-receivers'] },
  { overlay: 'distributed', components: ['gateway-api', 'trial-stores'] },
  { overlay: 'distributed', components: [...common, 'scale-by-requests', 'ingress', 'edge'] },
  { overlay: 'distributed', components: ['internal-tls'] },
  { overlay: 'distributed', components: ['internal-tls', 'edge'] },
];

/** Name and objects of every composition, for `test.each`. */
export function renderAll(env: NodeJS.ProcessEnv): [name: string, objects: KubernetesObject[]][] {
  const kubectl = findKubectl(env);
  return compositions.map((composition) => [
    [composition.overlay, ...(composition.components ?? [])].join(' + '),
    render(kubectl, composition),
  ]);
}

/** The objects of one composition. */
export function renderOne(env: NodeJS.ProcessEnv, composition: Composition): KubernetesObject[] {
  return render(findKubectl(env), composition);
}
