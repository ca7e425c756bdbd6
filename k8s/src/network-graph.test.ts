import { expect, test } from 'vitest';
import { findConnections } from './network-graph.ts';

const pod = (name: string) => ({ name, labels: { app: name }, ports: [{ name: 'http', containerPort: 80 }] });
const pods = [pod('a'), pod('b')];
const policy = (spec: object) => ({ spec }) as never;
const closed = policy({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
const aMayAsk = policy({
  podSelector: { matchLabels: { app: 'a' } },
  policyTypes: ['Egress'],
  egress: [{ to: [{ podSelector: { matchLabels: { app: 'b' } } }], ports: [{ port: 80 }] }],
});
const bAnswers = policy({
  podSelector: { matchLabels: { app: 'b' } },
  policyTypes: ['Ingress'],
  ingress: [{ from: [{ podSelector: { matchLabels: { app: 'a' } } }], ports: [{ port: 'http' }] }],
});

test('without a policy everything is open, which the graph shows', () => {
  expect(findConnections(pods, [])).toContain('b -> a:80');
  expect(findConnections(pods, [])).toContain('a -> anywhere:any');
});

test('where everything is closed there is no connection', () => {
  expect(findConnections(pods, [closed])).toEqual([]);
});

test('a connection needs both ends', () => {
  expect(findConnections(pods, [closed, aMayAsk])).toEqual([]);
  expect(findConnections(pods, [closed, bAnswers])).toEqual([]);
  expect(findConnections(pods, [closed, aMayAsk, bAnswers])).toEqual(['a -> b:80']);
});

test('a rule without a peer means anywhere, a namespace is named', () => {
  const podSelector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }] };
  const scrape = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];
  const open = policy({
    podSelector,
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: scrape, ports: [{ port: 9 }] }, { ports: [{ port: 'http' }] }],
    egress: [{ ports: [{ port: 443 }] }],
  });
  expect(findConnections(pods, [closed, open])).toEqual([
    'a -> anywhere:443',
    'anywhere -> a:http',
    'namespace monitoring -> a:9',
  ]);
});
