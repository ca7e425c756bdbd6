import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import type { KubernetesObject } from './render.ts';
import { watchReads } from './watch-reads.ts';

/** Whatever is rendered has to be of one of these. A Secret is not among them: none is ever committed. */
const models = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  HTTPRoute,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  PodMonitor,
  Service,
  ServiceAccount,
  StatefulSet,
];

/**
 * What the schema of its kind has against an object, as sentences, unknown fields included.
 *
 * The schemas come compiled, and they look at every field that they know and at no other. So a field that was never
 * looked at is one that Kubernetes does not know.
 */
export function validateObject(object: KubernetesObject): string[] {
  const { apiVersion, kind } = object;
  const name = `${kind} ${object.metadata?.name}`;
  const Model = models.find((model) => model.apiVersion === apiVersion && model.kind === kind);
  if (!Model) return [`${name}: there is no schema for ${apiVersion} ${kind}`];
  const { watched, findUnread } = watchReads(new Model(object as never));
  const wrong = findFaults(() => Model.prototype.validate.call(watched as never));
  const unknown = findUnread().map((path) => `${path} is no field of it`);
  return [...wrong, ...unknown].map((fault) => `${name}: ${fault}`);
}

/** What a validation throws, as sentences; none where it returns. */
function findFaults(validate: () => void): string[] {
  try {
    validate();
    return [];
  } catch (error) {
    if (!(error instanceof Error && 'errors' in error)) throw error;
    const faults = error.errors as { instancePath: string; message: string }[];
    return faults.map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}
