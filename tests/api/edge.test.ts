import { randomUUID } from 'node:crypto';
import { eventually } from '@latchkey/support/black-box/eventually';
import { metricsPorts, readMetrics } from '@latchkey/support/black-box/read-metrics';
import {
  askForKey,
  createLease,
  expectKey,
  makeScene,
  oncePropagated,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { startEdges } from '@latchkey/support/black-box/target';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { derive } from './derive.ts';
import { keyIdOf } from './key-id.ts';
import { askForKeysAtOnce } from './pipelined-keys.ts';

const { TEST_POSTGRES_URL } = process.env;
// `npm test -- distributed --edge` runs the black-box tests against edge processes. Here is what only the edge does.
const edge = await startEdges(TEST_POSTGRES_URL ?? '', [{}, { MASTER_KEY_HEX: 'f'.repeat(64) }]);
const [, stranger = ''] = edge.doors;

it('the edge serves the key that the contract derives, with a lease of the lease service and without', async () => {
  const scene = await makeScene(edge);
  const leaseId = await createLease(edge, scene);
  const path = `/keys/${scene.contentId}`;
  const key = derive(scene.contentId);
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
  await expectKey(edge, '403 LEASE_REVOKED', scene, leaseId);
});

it('a licence of the edge has the derived key, and a revocation in the lease service ends the licences there', async () => {
  const scene = await makeScene(edge);
  const leaseId = await createLease(edge, scene);
  const kid = keyIdOf(scene.contentId);
  const ask = async () => {
    const headers = { 'x-lease-id': leaseId };
    const options = { as: scene.token, headers, json: { kids: [kid] } };
    return edge.client.call('POST', `/licenses/clearkey/${scene.contentId}`, options);
  };
  const key = derive(scene.contentId).toString('base64url');
  edge.client.credentials.add(key);
  expect((await ask()).json).toEqual({ keys: [{ kty: 'oct', kid, k: key }], type: 'temporary' });
  await revokeLeases(edge, { leaseId });
  await oncePropagated(edge, async () => expect((await ask()).code).toBe('LEASE_REVOKED'));
});

it('the edge forwards requests for playlists to the playback service', async () => {
  const sid = Buffer.alloc(32, 7).toString('base64url');
  const answer = await edge.client.get(`/play/${sid}/index.m3u8`);
  expect([answer.status, answer.code]).toEqual([401, 'INVALID_SESSION']);
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
});

it('an edge with another master key than the database knows is not ready, serves no key, and forwards the rest', async () => {
  const scene = await makeScene(edge);
  await eventually(() => expect(edge.process.stderr()).toContain('is not the one that this database knows'));
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
  // A service that a busy machine keeps from answering is missing for once.
  await eventually(async () => {
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
});

it('the series of an edge process have its name, the age of its feed, and its dependencies', async () => {
  const { samples } = await readMetrics(metricsPorts(edge.process).get('edge') ?? 0);
  expect(samples.filter(({ labels }) => labels.service !== 'edge')).toEqual([]);
  const names = new Set(samples.map(({ name }) => name));
  for (const name of ['latchkey_feed_age_seconds', 'latchkey_dependency_up', 'latchkey_build_info'])
    expect(names).toContain(name);
});

/** Requests for states of leases that the lease service has answered, by its own count. */
async function countLeaseRequests(): Promise<number> {
  const port = /leases \S+ listens on \S+, metrics on port (\d+)/.exec(edge.process.stderr())?.[1];
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = metrics.matchAll(
    /^http_server_request_duration_seconds_count\{.*"\/internal\/leases\/.*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

it('200 leases that are asked for at once are judged each by itself, and reach the lease service in fewer requests', async () => {
  const scene = await makeScene(edge);
  const requests = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const token = viewerToken(edge.jwtSecret, `${scene.viewerId}-${n}`);
      return { ...scene, token, leaseId: await createLease(edge, { ...scene, token }) };
    }),
  );
  const [revoked, unknown, foreign] = [70, 110, 150];
  await revokeLeases(edge, { leaseId: requests[revoked]?.leaseId ?? '' });
  Object.assign(requests[unknown] ?? {}, { leaseId: randomUUID() });
  Object.assign(requests[foreign] ?? {}, { leaseId: requests[0]?.leaseId });
  const before = await countLeaseRequests();
  const answers = await askForKeysAtOnce(edge.url, requests);
  const asked = (await countLeaseRequests()) - before;
  // A busy machine may be late once, and then it is neither yes nor no.
  const settled = await Promise.all(
    answers.map(async (answer, n) => {
      const request = requests[n];
      return answer.startsWith('503') && request ? askForKey(edge, request, request.leaseId) : answer;
    }),
  );
  const expected: string[] = requests.map(() => '200');
  expected[revoked] = '403 LEASE_REVOKED';
  expected[unknown] = '403 LEASE_UNKNOWN';
  expected[foreign] = '403 LEASE_UNKNOWN';
  expect(settled).toEqual(expected);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(100);
});
