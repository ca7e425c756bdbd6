import { eventually } from '@latchkey/support/black-box/eventually';
import {
  createApiKey,
  createLease,
  makeScene,
  playerReport,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey } = target;

const read = async (query = '') => {
  const { status, json } = await client.get(`/api/v1/statistics${query}`, adminApiKey);
  expect(status).toBe(200);
  return json.statistics;
};

it('the statistics count key requests with their durations and outcomes', async () => {
  const { contentId, token } = await makeScene(target);
  const before = await read();
  for (let n = 0; n < 20; n++) await client.get(`/keys/${contentId}`, n % 4 === 0 ? undefined : token);
  await eventually(async () => {
    const { keyRequests, requests } = await read();
    expect(keyRequests.lastHour.count - before.keyRequests.lastHour.count).toBeGreaterThanOrEqual(20);
    expect(requests.lastHour.count - before.requests.lastHour.count).toBeGreaterThanOrEqual(20);
    expect(keyRequests.lastHour.clientErrorShare).toBeGreaterThan(0);
    expect(keyRequests.lastHour.p50Ms).toBeGreaterThan(0);
    expect(keyRequests.lastHour.p99Ms).toBeGreaterThanOrEqual(keyRequests.lastHour.p50Ms);
    expect(keyRequests.lastMinute.perSecond).toBeGreaterThan(0);
  });
});

it('the series of the statistics has the requested number of points, oldest first', async () => {
  const { keyRequests, stepSeconds } = await read();
  const times = keyRequests.series.map(({ at }: { at: string }) => Date.parse(at));
  for (let index = 1; index < times.length; index++)
    expect(times[index] - times[index - 1]).toBe(stepSeconds * 1_000);
  expect((await read('?steps=1')).keyRequests.series).toHaveLength(1);
});

it('the statistics show how soon a revocation reached every replica', async () => {
  const seeRevocation = async () => {
    const scene = await makeScene(target);
    await createLease(target, scene);
    await revokeLeases(target, { viewerId: scene.viewerId });
    await eventually(async () => {
      const { changes, replicas } = await read('?steps=1');
      const own = changes.find(({ viewerId }: { viewerId: string }) => viewerId === scene.viewerId);
      expect(own).toMatchObject({ kind: 'leases', pending: [], leaseId: null });
      expect(own.reached).toHaveLength(replicas.length);
      const delays = own.reached.map(({ delayMs }: { delayMs: number }) => delayMs);
      expect(own.slowestMs).toBe(Math.max(...delays));
    });
  };
  // Only the latest changes are shown. Other tests may make many at the same time, so this repeats with a new one.
  await eventually(seeRevocation);
});

it('the statistics count active leases and reports of players', async () => {
  const scene = await makeScene(target);
  await createLease(target, scene);
  const before = await read('?steps=1');
  const token = viewerToken(target.jwtSecret, scene.viewerId);
  expect((await client.post('/api/v1/player-metrics', token, playerReport)).status).toBe(204);
  await eventually(async () => {
    const { player, activeLeases } = await read();
    // Other tests may report to the same server.
    expect(player.lastHour.reports).toBeGreaterThan(before.player.lastHour.reports);
    expect(player.lastHour.firstFrameP95Ms).toBeGreaterThan(0);
    expect(player.lastHour.stallsPerReport).toBeGreaterThan(0);
    expect(activeLeases.count).toBeGreaterThan(0);
  });
});

it('the statistics show the dependencies of the server, and warnings about its configuration', async () => {
  await createApiKey(target, 'playback');
  const { warnings } = await eventually(async () => {
    const statistics = await read('?steps=1');
    expect(statistics.ready).toBe(true);
    expect(statistics.dependencies.database).toMatchObject({ status: 'up' });
    // A process that answers too slowly would be listed here.
    expect(statistics.missing).toEqual([]);
    return statistics;
  });
  const codes = warnings.map(({ code }: { code: string }) => code);
  expect(codes).toContain('API_KEYS_NEVER_EXPIRE');
  expect(new Set(codes).size).toBe(codes.length);
  for (const warning of warnings)
    expect(warning.documentation).toMatch(/^(README|docs\/operate\/configuration)\.md#[a-z-]+$/);
});

it.each(['?steps=0', '?steps=361', '?steps=x', '?other=1'])(
  'the statistics refuse the query %s',
  async (query) => {
    expect((await client.get(`/api/v1/statistics${query}`, adminApiKey)).code).toBe('VALIDATION_FAILED');
  },
);

it('a refused request for the statistics leaves a row in the audit', async () => {
  const { id, raw } = await createApiKey(target, 'upload');
  const { code, requestId } = await client.get('/api/v1/statistics', raw);
  expect(code).toBe('INSUFFICIENT_SCOPE');
  const { json } = await client.get(`/api/v1/audit?action=statistics.read&actor=${id}`, adminApiKey);
  expect(json.audit.map((row: { requestId: string }) => row.requestId)).toContain(requestId);
});
