import {
  askForKey,
  createLease,
  expectKey,
  makeScene,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openShared } from '@latchkey/support/black-box/target';
import { describe, expect, it } from 'vitest';

describe('LEASE_MODE=required', async () => {
  const server = await openShared('leases-required');

  it('with LEASE_MODE=required a key is served only with an active lease', async () => {
    const scene = await makeScene(server);
    expect(await askForKey(server, scene)).toBe('403 LEASE_REQUIRED');
    const leaseId = await createLease(server, scene);
    expect(await askForKey(server, scene, leaseId)).toBe('200');
    expect(await askForKey(server, scene)).toBe('403 LEASE_REQUIRED');
    await revokeLeases(server, { leaseId });
    await expectKey(server, '403 LEASE_REVOKED', scene, leaseId);
  });
});

describe('LEASE_MODE=off', async () => {
  const server = await openShared('leases-off');
  const { client, adminApiKey: admin } = server;

  it.each([
    ['POST', '/keys/leases'],
    ['POST', '/keys/leases/renew'],
    ['POST', '/keys/leases/revoke'],
    ['GET', '/keys/leases'],
    ['PUT', '/keys/leases'],
    ['DELETE', '/keys/leases'],
    ['GET', '/keys/leases/renew'],
    ['GET', '/api/v1/leases'],
    ['GET', `/api/v1/leases/${crypto.randomUUID()}`],
  ])('with LEASE_MODE=off, %s %s gets 404 with any credential', async (method, path) => {
    const { contentId, viewerId, token } = await makeScene(server);
    for (const as of [admin, token, undefined]) {
      const json = method === 'POST' ? { contentId, viewerId } : undefined;
      expect((await client.call(method, path, { as, json })).status).toBe(404);
    }
  });

  it('with LEASE_MODE=off, a malformed body of a lease gets 404, too', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const as of [admin, undefined])
      expect((await client.call('POST', '/keys/leases', { as, headers, body: '{' })).status).toBe(404);
  });

  it('with LEASE_MODE=off, players can still report', async () => {
    expect((await client.post('/api/v1/player-metrics', undefined, {})).status).toBe(401);
  });

  it('with LEASE_MODE=off a key request ignores its lease', async () => {
    const scene = await makeScene(server);
    expect(await askForKey(server, scene)).toBe('200');
    expect(await askForKey(server, scene, crypto.randomUUID())).toBe('200');
    expect(await askForKey(server, scene, 'nonsense')).toBe('200');
  });
});
