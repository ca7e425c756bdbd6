import { hkdfSync } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { askForKey, createLease, makeScene, oncePropagated, revokeLeases } from './server-actions.ts';
import { masterKeyHex, saltHex, startEdges } from './target.ts';

const { TEST_POSTGRES_URL } = process.env;
// `npm run test:distributed -- --edge` runs the black-box tests against edge processes. Here is what only the edge does.
const edge = await startEdges(TEST_POSTGRES_URL ?? '', [{}, { MASTER_KEY_HEX: 'f'.repeat(64) }]);
const [, stranger = ''] = edge.doors;

it('the edge serves the key that the contract derives, with a lease of the lease service and without', async () => {
  const scene = await makeScene(edge);
  const leaseId = await createLease(edge, scene);
  const path = `/keys/${scene.contentId}`;
  const key = Buffer.from(
    hkdfSync('sha256', Buffer.from(masterKeyHex, 'hex'), Buffer.from(saltHex, 'hex'), scene.contentId, 16),
  );
  for (const headers of [{}, { 'x-lease-id': leaseId }]) {
    const answer = await edge.client.call('GET', path, { as: scene.token, headers });
    expect([answer.status, answer.bytes]).toEqual([200, key]);
  }
});

it('a revocation in the lease service ends the keys at the edge', async () => {
  const scene = await makeScene(edge);
  const leaseId = await createLease(edge, scene);
  expect(await askForKey(edge, scene, leaseId)).toBe('200');
  await revokeLeases(edge, { leaseId });
  await oncePropagated(edge, async () =>
    expect(await askForKey(edge, scene, leaseId)).toBe('403 LEASE_REVOKED'),
  );
});

it('an edge with another master key than the database knows is not ready, serves no key, and forwards the rest', async () => {
  const scene = await makeScene(edge);
  await vi.waitFor(() => expect(edge.process.stderr()).toContain('is not the one that this database knows'));
  const ready = await fetch(`${stranger}/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { dependencies: { start: { status: 'down' } } },
  ]);
  const key = await fetch(`${stranger}/keys/${scene.contentId}`, {
    headers: { authorization: `Bearer ${scene.token}` },
  });
  expect([key.status, key.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
  const list = await fetch(`${stranger}/api/v1/content`, {
    headers: { authorization: `Bearer ${edge.adminApiKey}` },
  });
  expect(list.status).toBe(200);
});

it('the internal headers and routes of a service are not on the edge', async () => {
  const scene = await makeScene(edge);
  const key = await edge.client.get(`/keys/${scene.contentId}`, scene.token);
  expect(Object.keys(key.headers).filter((name) => name.startsWith('x-latchkey'))).toEqual([]);
  expect((await fetch(`${edge.url}/internal/process-report?since=0`)).status).toBe(404);
});

it('the statistics of the edge count its own keys', async () => {
  const scene = await makeScene(edge);
  expect(await askForKey(edge, scene)).toBe('200');
  const { json } = await edge.client.get('/api/v1/statistics', edge.adminApiKey);
  expect(json).toMatchObject({
    statistics: {
      keyRequests: { source: 'key-derivation', processes: 1, lastHour: { count: expect.any(Number) } },
      replicas: [{ replica: expect.any(String) }],
      missing: [],
      ready: true,
    },
  });
});
