import { eventually } from '@latchkey/support/black-box/eventually';
import { askForKey, createLease, makeScene, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { openShared, openTarget, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const path = '/keys/leases/renew';
const [usual, brief, strict] = await Promise.all([
  openTarget(),
  openShared('any-content'),
  // Its own, because only these tests need leases without a grace.
  startServer({ LEASE_TTL_SECONDS: '1', LEASE_RENEW_GRACE_SECONDS: '0' }),
]);

it('the life of a renewed lease counts from the renewal', async () => {
  const scene = await makeScene(usual);
  const leaseId = await createLease(usual, scene, { requestedTtlSeconds: 3_600 });
  const beforeMs = Date.now();
  const { status, json } = await usual.client.post(path, scene.token, { leaseId, requestedTtlSeconds: 60 });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    ttl_seconds: 60,
    renew_after_seconds: 45,
    lease: { id: leaseId, state: 'active' },
  });
  expect(Date.parse(json.lease.expiresAt)).toBeGreaterThanOrEqual(beforeMs + 60_000);
  expect(Date.parse(json.lease.expiresAt)).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(json.lease.renewedAt).not.toBeNull();
});

it('an API key may renew the lease of a viewer', async () => {
  const scene = await makeScene(usual);
  const leaseId = await createLease(usual, scene);
  expect((await usual.client.post(path, usual.adminApiKey, { leaseId })).status).toBe(200);
});

it('an expired lease gets no key until it is renewed, and then at once', async () => {
  const scene = await makeScene(brief);
  const leaseId = await createLease(brief, scene);
  await eventually(async () => expect(await askForKey(brief, scene, leaseId)).toBe('403 LEASE_EXPIRED'));
  const list = await brief.client.get(`/api/v1/leases/${leaseId}`, brief.adminApiKey);
  expect(list.json.lease.state).toBe('expired');
  const renewed = await brief.client.post(path, scene.token, { leaseId, requestedTtlSeconds: 600 });
  expect(renewed.json.lease.state).toBe('active');
  expect(await askForKey(brief, scene, leaseId)).toBe('200');
});

it('renewing a lease after its grace gets LEASE_EXPIRED, and the same device gets a new lease', async () => {
  const scene = await makeScene(strict);
  const leaseId = await createLease(strict, scene, { deviceId: 'tv' });
  await eventually(async () => expect(await askForKey(strict, scene, leaseId)).toBe('403 LEASE_EXPIRED'));
  expect((await strict.client.post(path, scene.token, { leaseId })).code).toBe('LEASE_EXPIRED');
  expect(await createLease(strict, scene, { deviceId: 'tv' })).not.toBe(leaseId);
});

it('renewing a revoked lease gets LEASE_REVOKED', async () => {
  const scene = await makeScene(usual);
  const leaseId = await createLease(usual, scene);
  await revokeLeases(usual, { leaseId });
  expect((await usual.client.post(path, scene.token, { leaseId })).code).toBe('LEASE_REVOKED');
  expect((await usual.client.post(path, usual.adminApiKey, { leaseId })).code).toBe('LEASE_REVOKED');
});

it.each([crypto.randomUUID(), 'nonsense'])(
  'renewing the unknown lease %s gets LEASE_UNKNOWN',
  async (leaseId) => {
    const { token } = await makeScene(usual);
    expect((await usual.client.post(path, token, { leaseId })).code).toBe('LEASE_UNKNOWN');
  },
);

it('renewing the lease of another viewer gets LEASE_UNKNOWN', async () => {
  const scene = await makeScene(usual);
  const leaseId = await createLease(usual, scene);
  const stranger = viewerToken(usual.jwtSecret, unique('viewer'));
  expect((await usual.client.post(path, stranger, { leaseId })).code).toBe('LEASE_UNKNOWN');
});

it('renewing a lease with a token for another content gets CONTENT_NOT_ENTITLED', async () => {
  const scene = await makeScene(usual);
  const leaseId = await createLease(usual, scene);
  const bound = viewerToken(usual.jwtSecret, scene.viewerId, { content_ids: ['another'] });
  expect((await usual.client.post(path, bound, { leaseId })).code).toBe('CONTENT_NOT_ENTITLED');
});

it('renewing a lease of a disabled content gets CONTENT_NOT_FOUND', async () => {
  const scene = await makeScene(usual);
  const leaseId = await createLease(usual, scene);
  await usual.client.call('DELETE', `/api/v1/content/${scene.contentId}`, { as: usual.adminApiKey });
  expect((await usual.client.post(path, scene.token, { leaseId })).code).toBe('CONTENT_NOT_FOUND');
});

it.each([{}, { leaseId: 5 }, { leaseId: null }])('renewing with the body %j gets 400', async (json) => {
  expect((await usual.client.post(path, usual.adminApiKey, json)).status).toBe(400);
});
