import type {
  INetworkPolicy,
  INetworkPolicyPeer,
  INetworkPolicyPort,
} from 'kubernetes-models/networking.k8s.io/v1';
import { type LabelSelector, matchesLabels } from './label-selector.ts';

/** The parts of a pod that network policies use. */
export interface NetworkPod {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ports: readonly { readonly name?: string; readonly containerPort: number }[];
}

type Direction = 'Ingress' | 'Egress';
interface Rule {
  readonly peers: readonly INetworkPolicyPeer[] | undefined;
  readonly ports: readonly INetworkPolicyPort[] | undefined;
}

/**
 * Every connection that the policies of one namespace allow, sorted. `a -> b:4100` is between pods, and both ends allow it.
 * `a -> anywhere:443` and `namespace monitoring -> a:metrics` lead outside, and the pod's end decides.
 *
 * @throws Error for a policy that it does not understand, such as a range of ports
 */
export function findConnections(pods: readonly NetworkPod[], policies: readonly INetworkPolicy[]): string[] {
  const inside = pods.flatMap((from) =>
    pods.flatMap((to) =>
      to.ports
        .filter(
          (port) => allows(policies, 'Egress', from, to, port) && allows(policies, 'Ingress', to, from, port),
        )
        .map((port) => `${from.name} -> ${to.name}:${port.containerPort}`),
    ),
  );
  const outside = pods.flatMap((pod) => [
    ...outsidePeers(policies, 'Egress', pod).map((peer) => `${pod.name} -> ${peer}`),
    ...outsidePeers(policies, 'Ingress', pod).map((peer) => peer.replace(/:([^:]*)$/, ` -> ${pod.name}:$1`)),
  ]);
  return [...new Set([...inside, ...outside])].sort();
}

/** The rules for a pod in one direction; null if no policy applies, so that every connection is allowed. */
function rulesFor(policies: readonly INetworkPolicy[], direction: Direction, pod: NetworkPod): Rule[] | null {
  const binding = policies
    .map(({ spec }) => spec)
    .filter(
      (spec) =>
        spec?.policyTypes?.includes(direction) &&
        matchesLabels(spec.podSelector as LabelSelector, pod.labels),
    );
  if (binding.length === 0) return null;
  return binding.flatMap((spec) =>
    direction === 'Ingress'
      ? (spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
      : (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports })),
  );
}

function allows(
  policies: readonly INetworkPolicy[],
  direction: Direction,
  pod: NetworkPod,
  peer: NetworkPod,
  port: NetworkPod['ports'][number],
): boolean {
  const rules = rulesFor(policies, direction, pod);
  if (!rules) return true;
  return rules.some(
    ({ peers, ports }) =>
      (!peers || peers.some((candidate) => isPeer(candidate, peer))) &&
      (!ports || ports.some((open) => [port.name, port.containerPort].includes(numberOf(open)))),
  );
}

/** Only for pods of the same namespace: a peer with a namespace selector is in another one. */
function isPeer({ podSelector, namespaceSelector, ipBlock }: INetworkPolicyPeer, peer: NetworkPod): boolean {
  return (
    !ipBlock &&
    !namespaceSelector &&
    !!podSelector &&
    matchesLabels(podSelector as LabelSelector, peer.labels)
  );
}

function outsidePeers(policies: readonly INetworkPolicy[], direction: Direction, pod: NetworkPod): string[] {
  const rules = rulesFor(policies, direction, pod);
  if (!rules) return ['anywhere:any'];
  return rules.flatMap(({ peers, ports }) => {
    const names = peers ? peers.flatMap(outsideName) : ['anywhere'];
    const numbers = ports ? ports.map(numberOf) : ['any'];
    return names.flatMap((name) => numbers.map((number) => `${name}:${number}`));
  });
}

function outsideName({ namespaceSelector, ipBlock }: INetworkPolicyPeer): string[] {
  if (ipBlock) return [ipBlock.cidr];
  if (!namespaceSelector) return [];
  return [`namespace ${namespaceSelector.matchLabels?.['kubernetes.io/metadata.name'] ?? 'any'}`];
}

function numberOf({ port, endPort }: INetworkPolicyPort): string | number {
  if (port === undefined || endPort !== undefined)
    throw new Error('a port without a number, or a range of them');
  return port;
}
