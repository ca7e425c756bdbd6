import { eventually } from '@latchkey/support/black-box/eventually';
import {
  askForKey,
  createLease,
  expectKey,
  makeScene,
  registerContent,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { type OwnServer, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';

const path = '/keys/leases';

/** Creates one viewer with a lease for each of `count` contents. @returns them, oldest first */
async function fill(server: OwnServer, count: number): Promise<(Scene & { leaseId: string })[]> {
  const viewerId = unique('viewer');
  const token = viewerToken(server.jwtSecret, viewerId);
  const plays = [];
  for (let n = 0; n < count; n++) {
    const contentId = await registerContent(server);
    const leaseId = await createLease(server, { token, contentId });
    plays.push({ viewerId, token, contentId, leaseId });
  }
  return plays;
}

describe('LEASE_LIMIT_MODE=reject', async () => {
  // Its own, because no other test needs a limit of two.
  const server = await startServer({ LEASE_MAX_PER_VIEWER: '2', LEASE_RENEW_GRACE_SECONDS: '3600' });
  const { client } = server;

  it('a lease beyond the limit gets 409 LEASE_LIMIT_REACHED with the active ones', async () => {
    const plays = await fill(server, 2);
    const contentId = await registerContent(server);
    const answer = await client.post(path, plays[0]?.token, { contentId });
    expect([answer.status, answer.code]).toEqual([409, 'LEASE_LIMIT_REACHED']);
    const ids = answer.json.leases.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual(plays.map(({ leaseId }) => leaseId).sort());
    for (const play of plays) expect(await askForKey(server, play, play.leaseId)).toBe('200');
    // Viewers may share an account: unlike other refusals of viewers, this one is audited.
    const audited = `/api/v1/audit?target=viewer:${plays[0]?.viewerId} content:${contentId}`;
    expect((await client.get(audited, server.adminApiKey)).json.audit).toMatchObject([
      { action: 'lease.create', outcome: 'refused', code: 'LEASE_LIMIT_REACHED' },
    ]);
  });

  it('a limited API key sees only the active leases of its contents, and not the number of all', async () => {
    const [mine, other] = await fill(server, 2);
    const made = { name: 'limited', contents: [mine?.contentId] };
    const { json: key } = await client.post('/api/v1/api-keys', server.adminApiKey, made);
    const { viewerId, contentId } = mine as Scene;
    const { code, json } = await client.post(path, key.raw_key, { contentId, viewerId });
    expect([code, json.leases.map(({ id }: { id: string }) => id)]).toEqual([
      'LEASE_LIMIT_REACHED',
      [mine?.leaseId],
    ]);
    expect(JSON.stringify(json)).not.toContain(other?.contentId);
    expect(json.detail).not.toContain('has 2');
  });

  it('a repeated request for the lease of a device does not count as another lease, also at the limit', async () => {
    const { token, contentId } = await makeScene(server);
    const ask = (deviceId: string) => client.post(path, token, { contentId, deviceId });
    const statuses: number[] = [];
    for (const deviceId of ['tv', 'phone', 'tv', 'phone', 'tablet'])
      statuses.push((await ask(deviceId)).status);
    expect(statuses).toEqual([201, 201, 200, 200, 409]);
  });

  it('twenty leases of one content without a deviceId are twenty playbacks, of which two are allowed', async () => {
    const { token, contentId } = await makeScene(server);
    const statuses: number[] = [];
    for (let n = 0; n < 20; n++) {
      const deviceId = n % 2 === 0 ? undefined : null;
      statuses.push((await client.post(path, token, { contentId, deviceId })).status);
    }
    expect(statuses).toEqual([201, 201, ...Array(18).fill(409)]);
  });

  it('a released lease makes room for another', async () => {
    const [play] = await fill(server, 2);
    const contentId = await registerContent(server);
    await client.post('/keys/leases/revoke', play?.token, { leaseId: play?.leaseId });
    expect((await client.post(path, play?.token, { contentId })).status).toBe(201);
  });

  it('many concurrent requests do not exceed the limit of leases', async () => {
    const scene = await makeScene(server);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        client.post(path, scene.token, { contentId: scene.contentId, deviceId: `d${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(answers.filter(({ code }) => code === 'LEASE_LIMIT_REACHED')).toHaveLength(18);
  });

  it('an expired lease does not count, and cannot come back past the limit', async () => {
    const { viewerId, token, contentId } = await makeScene(server);
    const scene = { viewerId, token, contentId };
    const late = await createLease(server, scene, { deviceId: 'late', requestedTtlSeconds: 1 });
    await eventually(async () => expect(await askForKey(server, scene, late)).toBe('403 LEASE_EXPIRED'));
    await createLease(server, scene, { deviceId: 'a' });
    await createLease(server, scene, { deviceId: 'b' });
    const renewal = await client.post('/keys/leases/renew', token, { leaseId: late });
    expect(renewal.code).toBe('LEASE_LIMIT_REACHED');
  });

  it('the limit of leases counts for each viewer separately', async () => {
    const [play] = await fill(server, 2);
    const stranger = viewerToken(server.jwtSecret, unique('viewer'));
    expect((await client.post(path, stranger, { contentId: play?.contentId })).status).toBe(201);
  });
});

describe('LEASE_LIMIT_MODE=evict-oldest', async () => {
  // No other test needs this mode.
  const server = await startServer({ LEASE_MAX_PER_VIEWER: '2', LEASE_LIMIT_MODE: 'evict-oldest' });
  const { client, adminApiKey: admin } = server;

  it('with evict-oldest, a lease beyond the limit ends the oldest at once, without a mark', async () => {
    const plays = await fill(server, 2);
    const [oldest, newer] = plays;
    if (!oldest || !newer) throw new Error('there are two');
    for (const play of plays) expect(await askForKey(server, play, play.leaseId)).toBe('200');
    const contentId = await registerContent(server);
    const leaseId = await createLease(server, { token: oldest.token, contentId });
    await expectKey(server, '403 LEASE_REVOKED', oldest, oldest.leaseId);
    expect(await askForKey(server, oldest)).toBe('200');
    expect(await askForKey(server, newer, newer.leaseId)).toBe('200');
    expect(await askForKey(server, { ...oldest, contentId }, leaseId)).toBe('200');
    const { json } = await client.get(`/api/v1/leases/${oldest.leaseId}`, admin);
    expect(json.lease).toMatchObject({ state: 'revoked', revokedBy: 'limit' });
  });

  it('with evict-oldest, many concurrent requests leave no more leases than the limit', async () => {
    const scene = await makeScene(server);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        client.post(path, scene.token, { contentId: scene.contentId, deviceId: `d${n}` }),
      ),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    const { json } = await client.get(`/api/v1/leases?viewerId=${scene.viewerId}`, admin);
    expect(json.total_active).toBe(2);
  });

  it('with evict-oldest, a revocation still leaves a mark', async () => {
    const [play] = await fill(server, 1);
    if (!play) throw new Error('there is one');
    await revokeLeases(server, { leaseId: play.leaseId });
    await expectKey(server, '403 TOKEN_REVOKED', play);
  });
});
