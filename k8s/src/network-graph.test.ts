import { expect, test } from 'vitest';
import { findConnections } from './network-graph.ts';

const pod = (name: string) => ({ name, labels: { app: name }, ports: [{ name: 'http', containerPort: 80 }] });
const pods = [pod('a'), pod('b')];
const policy = (spec: object) => ({ spec }) as never;
const closed = policy({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
const fromA = policy({
  podSelector: { matchLabels: { app: 'a' } },
  policyTypes: ['Egress'],
  egress: [{ to: [{ podSelector: { matchLabels: { app: 'b' } } }], ports: [{ port: 80 }] }],
});
const toB = policy({
  podSelector: { matchLabels: { app: 'b' } },
  policyTypes: ['Ingress'],
  ingress: [{ from: [{ podSelector: { matchLabels: { app: 'a' } } }], ports: [{ port: 'http' }] }],
});

test('without a policy, pods reach each other and anything outside', () => {
  expect(findConnections(pods, [])).toContain('b -> a:80');
  expect(findConnections(pods, [])).toContain('a -> anywhere:any');
});

test('a connection needs a policy at both ends', () => {
  expect(findConnections(pods, [closed, fromA])).toEqual([]);
  expect(findConnections(pods, [closed, toB])).toEqual([]);
  expect(findConnections(pods, [closed, fromA, toB])).toEqual(['a -> b:80']);
});
