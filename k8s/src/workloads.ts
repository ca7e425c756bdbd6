import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IContainer, IPodSpec } from 'kubernetes-models/v1';
import type { KubernetesObject } from './render.ts';

/** The parts of an object that makes pods which the tests read. */
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
/** The stores of `components/trial-stores`. */
const stores = ['postgres', 'redis', 'nats'];

/** Every workload, in the order of the rendering. */
export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.filter(({ kind }) => kinds.includes(kind)).map(toWorkload);
}

/** The workloads that serve requests: all but the migration and the stores. */
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
