import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IContainer, IPodSpec } from 'kubernetes-models/v1';
import type { KubernetesObject } from './render.ts';

/** Whatever makes pods, as far as the tests look at it. */
export interface Workload {
  readonly name: string;
  readonly kind: string;
  readonly replicas: number | undefined;
  /** Labels of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: IPodSpec;
  /** Each pod here has exactly one. */
  readonly container: IContainer;
}

const kinds = ['Deployment', 'StatefulSet', 'Job'];
/** Not Latchkey's own: what `components/trial-stores` brings along. */
const stores = ['postgres', 'redis', 'nats'];

/** Every workload, in the order of the rendering. */
export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.filter(({ kind }) => kinds.includes(kind)).map(toWorkload);
}

/** Those that serve requests: neither the migration nor a store. */
export function serversOf(objects: readonly KubernetesObject[]): Workload[] {
  return workloadsOf(objects).filter(({ kind, name }) => kind !== 'Job' && !stores.includes(name));
}

function toWorkload(object: KubernetesObject): Workload {
  const { spec } = object as KubernetesObject & IDeployment;
  const pod = spec?.template.spec;
  const [container, ...others] = pod?.containers ?? [];
  if (!pod || !container || others.length > 0 || pod.initContainers) {
    throw new Error(`${object.metadata.name} does not have exactly one container`);
  }
  return {
    name: object.metadata.name,
    kind: object.kind,
    replicas: spec.replicas,
    labels: spec.template.metadata?.labels ?? {},
    pod,
    container,
  };
}
