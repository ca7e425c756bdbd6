import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderAll, renderOne } from './compositions.fixture.ts';
import type { KubernetesObject } from './render.ts';
import { serversOf, workloadsOf } from './workloads.ts';

/** The time that components/serving allows for closing: 10 s for requests under way, 15 s for jobs and connections. */
const closingSeconds = 25;
/** Endpoints (2 s), the cluster's DNS (5 s), and the 2 s after which shared/src/upstream resolves again. */
const forgottenAfterSeconds = 9;

/** The pool of a process: `mostConnections` in shared/src/db/postgres-pool.ts. */
const connectionsOfPod = 10;

interface Spec {
  minReplicas?: number;
  maxReplicas?: number;
  scaleTargetRef?: { kind: string; name: string };
  behavior?: { scaleDown?: { policies?: unknown[] } };
  maxUnavailable?: number;
  clusterIP?: string;
  metrics?: { type: string }[];
  selector?: { matchLabels: Record<string, string> };
}
const specOf = (objects: readonly KubernetesObject[], kind: string, name: string) =>
  (
    objects.find((object) => object.kind === kind && object.metadata.name === name) as
      | { spec?: Spec }
      | undefined
  )?.spec;

describe.each(renderAll(process.env))('%s', (_, objects) => {
  const servers = serversOf(objects).map((server) => [server.name, server] as const);
  const processSettings = objects.find(({ metadata }) =>
    metadata.name.startsWith('latchkey-process-'),
  ) as unknown as {
    data: Record<string, string>;
  };
  const drainSeconds = Number(processSettings.data.SHUTDOWN_DRAIN_SECONDS);

  test.each(servers)('%s is probed: alive by /health, ready by /ready', (_name, { container }) => {
    expect(container.startupProbe?.httpGet).toMatchObject({ path: '/health', port: 'http' });
    expect(container.livenessProbe?.httpGet).toMatchObject({ path: '/health', port: 'http' });
    expect(container.readinessProbe?.httpGet).toMatchObject({ path: '/ready', port: 'http' });
    // The check of a dependency may take 2 s, and the probe must wait for its result.
    expect(container.readinessProbe?.timeoutSeconds).toBeGreaterThan(2);
  });

  test.each(servers)(
    '%s serves until no client knows its address, and then has time to close',
    (_name, { pod, container }) => {
      const preStopSeconds = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect(preStopSeconds + drainSeconds).toBeGreaterThan(forgottenAfterSeconds);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
        preStopSeconds + drainSeconds + closingSeconds,
      );
    },
  );

  test.each(servers)('%s shows its metrics on a port of their own', (_name, { container }) => {
    expect(container.ports?.map(({ name }) => name)).toEqual(['http', 'metrics']);
  });
});

describe('the distributed profile', () => {
  const objects = renderOne(process.env, { overlay: 'distributed' });
  const servers = serversOf(objects).map((server) => [server.name, server] as const);
  const limitsOf = (name: string) => specOf(objects, 'HorizontalPodAutoscaler', name);

  test.each(servers)(
    '%s has several pods on several machines, and one at a time may be moved',
    (name, { pod, replicas }) => {
      const smallest = specOf(objects, 'HorizontalPodAutoscaler', name)?.minReplicas ?? replicas ?? 1;
      expect(smallest).toBeGreaterThanOrEqual(2);
      expect(specOf(objects, 'PodDisruptionBudget', name)).toMatchObject({
        maxUnavailable: 1,
        selector: { matchLabels: { 'app.kubernetes.io/component': name } },
      });
      const spread = (pod.topologySpreadConstraints ?? []).map(({ topologyKey, labelSelector }) => [
        topologyKey,
        labelSelector?.matchLabels,
      ]);
      const own = { 'app.kubernetes.io/component': name };
      expect(spread).toEqual([
        ['topology.kubernetes.io/zone', own],
        ['kubernetes.io/hostname', own],
      ]);
    },
  );

  test('the names of key-derivation and playback resolve to their pods, so that the gateway balances over them', () => {
    for (const name of ['key-derivation', 'playback'])
      expect(specOf(objects, 'Service', name)?.clusterIP).toBe('None');
  });

  test('an apply does not reset the number of pods that the autoscaler has set', () => {
    const scaled = servers.map(([name]) => name).filter((name) => limitsOf(name));
    expect(scaled).toEqual(['content', 'gateway', 'key-derivation', 'leases', 'playback']);
    for (const name of scaled) expect(servers.find(([its]) => its === name)?.[1].replicas).toBeUndefined();
  });

  test('every process that a viewer’s key or lease needs gets more pods under load, down one pod at a time', () => {
    for (const name of ['gateway', 'key-derivation', 'leases', 'content']) {
      const limits = limitsOf(name);
      expect(limits?.maxReplicas, name).toBeGreaterThan(limits?.minReplicas ?? Number.POSITIVE_INFINITY);
      expect(limits?.scaleTargetRef).toMatchObject({ kind: 'Deployment', name });
      expect(limits?.behavior?.scaleDown?.policies).toEqual([{ type: 'Pods', value: 1, periodSeconds: 60 }]);
    }
  });

  test('with as many pods as the autoscalers allow, and one more of each in a rollout, the trial’s Postgres has connections for all', () => {
    const pods = ['leases', 'content', 'auth'].map(
      (name) => limitsOf(name)?.maxReplicas ?? servers.find(([its]) => its === name)?.[1].replicas ?? 0,
    );
    const needed = pods.reduce((sum, count) => sum + (count + 1) * connectionsOfPod, 0);
    const trial = workloadsOf(renderOne(process.env, { overlay: 'trial' }));
    const [, limit] =
      /max_connections=(\d+)/.exec(
        JSON.stringify(trial.find(({ name }) => name === 'postgres')?.container.args),
      ) ?? [];
    expect(needed).toBeLessThan(Number(limit));
    expect(readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')).toContain(
      `max_connections\` of ${needed + 10}`,
    );
  });

  test('with the edge there is no gateway to scale', () => {
    const edge = renderOne(process.env, { overlay: 'distributed', components: ['edge'] });
    expect(specOf(edge, 'HorizontalPodAutoscaler', 'gateway')).toBeUndefined();
  });

  test('key-derivation scales by processor load, or by requests with the component scale-by-requests', () => {
    const metrics = (from: readonly KubernetesObject[]) =>
      specOf(from, 'HorizontalPodAutoscaler', 'key-derivation')?.metrics?.map(({ type }) => type);
    expect(metrics(objects)).toEqual(['Resource']);
    expect(
      metrics(renderOne(process.env, { overlay: 'distributed', components: ['scale-by-requests'] })),
    ).toEqual(['Pods']);
  });
});

test('the single node is exactly one pod with one volume', () => {
  const [server, ...others] = workloadsOf(renderOne(process.env, { overlay: 'single' }));
  expect(others).toEqual([]);
  expect(server).toMatchObject({ kind: 'StatefulSet', replicas: 1 });
});
