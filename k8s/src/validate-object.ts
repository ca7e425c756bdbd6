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

/** The kinds that the manifests may contain. Secret is not one of them, because no secret is ever committed. */
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
 * The faults of an object by the schema of its kind, as sentences, unknown fields included.
 *
 * A compiled schema reads exactly the fields that it knows. So a field that it never reads is unknown to Kubernetes.
 */
export function validateObject(object: KubernetesObject): string[] {
  const { apiVersion, kind } = object;
  const name = `${kind} ${object.metadata?.name}`;
  const Model = models.find((model) => model.apiVersion === apiVersion && model.kind === kind);
  if (!Model) return [`${name}: there is no schema for ${apiVersion} ${kind}`];
  const { watched, findUnread } = watchReads(new Model(object as never));
  const wrong = findFaults(() => Model.prototype.validate.call(watched as never));
  const unknown = findUnread().map((path) => `${path} is an unknown field`);
  return [...wrong, ...unknown].map((fault) => `${name}: ${fault}`);
}

/** The errors that a validation throws, as sentences. */
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
