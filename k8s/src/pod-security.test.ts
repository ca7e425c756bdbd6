import { describe, expect, test } from 'vitest';
import { renderAll } from './compositions.fixture.ts';
import { workloadsOf } from './workloads.ts';

describe.each(renderAll(process.env))('%s', (_, objects) => {
  test('the namespace admits only restricted pods', () => {
    const namespace = objects.find(({ kind }) => kind === 'Namespace');
    expect(namespace?.metadata).toMatchObject({
      labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    });
  });

  test.each(workloadsOf(objects).map((workload) => [workload.name, workload] as const))(
    '%s runs restricted: not as root, without rights, and writes only to its volumes',
    (_name, { pod, container }) => {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: expect.toSatisfy((id: number) => id > 0),
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect([pod.hostNetwork, pod.hostPID, pod.hostIPC].some(Boolean)).toBe(false);
      expect(container.ports?.some(({ hostPort }) => hostPort)).not.toBe(true);
      // The kinds of volume that the restricted profile allows, and that are used here.
      const kinds = (pod.volumes ?? []).map((volume) => Object.keys(volume).filter((key) => key !== 'name'));
      expect(kinds.flat().filter((kind) => !['secret', 'emptyDir'].includes(kind))).toEqual([]);
    },
  );

  test.each(workloadsOf(objects).map((workload) => [workload.name, workload] as const))(
    '%s has an account of its own without a credential of the Kubernetes API, and no variables of the Services in its namespace',
    (name, { pod }) => {
      // One of its own, so that a role of a cloud reaches no other pod.
      expect(pod.serviceAccountName).toBe(name);
      const account = objects.find(
        ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === name,
      );
      expect([account, pod]).toMatchObject(Array(2).fill({ automountServiceAccountToken: false }));
      expect(pod.enableServiceLinks).toBe(false);
    },
  );

  test.each(workloadsOf(objects).map((workload) => [workload.name, workload] as const))(
    '%s requests processor time and memory, and has a memory limit',
    (_name, { container }) => {
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    },
  );
});
