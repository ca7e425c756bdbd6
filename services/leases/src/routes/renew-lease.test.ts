import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type LeaseFixture, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

let leases: LeaseFixture;
beforeEach(async () => {
  leases = await openLeasesOnSqlite();
});

async function lease(credential = leases.tokenOf('ann'), contentId = 'film'): Promise<string> {
  const { body } = await leases.ask('POST', '/keys/leases', credential, { contentId });
  return body.lease.id;
}
const renew = (credential: string | null, body: object) =>
  leases.ask('POST', '/keys/leases/renew', credential, body);

describe('POST /keys/leases/renew answers 200', () => {
  it('renewing a lease returns 200 with a life that counts from now, and the cached state is dropped', async () => {
    const leaseId = await lease();
    await leases.authority.leases.load(leaseId);
    leases.clock.advance(225_000);
    await leases.pull();
    expect(leases.authority.leases.peek(leaseId)).toBeDefined();
    const { status, body } = await renew(leases.tokenOf('ann'), { leaseId, requestedTtlSeconds: 100 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      lease: { id: leaseId, renewedAt: '2026-01-01T00:03:45.000Z', expiresAt: '2026-01-01T00:05:25.000Z' },
      ttl_seconds: 100,
      renew_after_seconds: 75,
    });
    expect(leases.authority.leases.peek(leaseId)).toBeUndefined();
    expect(leases.notices.at(-1)).toEqual({ topic: 'lease', event: 'renewed', data: body.lease });
    expect(await leases.db.selectFrom('changes').select('number').execute()).toEqual([]);
  });

  it('a lease can be renewed until the grace after its expiry is over', async () => {
    const leaseId = await lease();
    leases.clock.advance(329_999);
    expect((await renew(leases.tokenOf('ann'), { leaseId })).status).toBe(200);
  });

  it('an API key can renew the lease of any viewer, and that is audited', async () => {
    const leaseId = await lease();
    expect((await renew(rawKeys.admin, { leaseId })).status).toBe(200);
    const rows = await leases.db.selectFrom('audit').select(['action', 'target']).execute();
    expect(rows).toEqual([{ action: 'lease.renew', target: leaseId }]);
  });
});

describe('POST /keys/leases/renew answers 400, 401, 404 and 409', () => {
  it('renewing a lease returns 400 without a lease id, 401 without a credential, and 404 once the content is disabled', async () => {
    const leaseId = await lease();
    expect((await renew(leases.tokenOf('ann'), {})).status).toBe(400);
    expect((await renew(null, { leaseId })).status).toBe(401);
    leases.contents.set('film', { status: 'disabled', keyVersion: 1 });
    expect(await renew(leases.tokenOf('ann'), { leaseId })).toMatchObject({
      status: 404,
      body: { code: 'CONTENT_NOT_FOUND' },
    });
  });

  it('renewing an expired lease returns 409 if the viewer has as many active ones as allowed', async () => {
    leases = await openLeasesOnSqlite({ rules: { maxPerViewer: 1 } });
    const leaseId = await lease();
    leases.clock.advance(300_000);
    await lease(leases.tokenOf('ann'), 'series');
    const answer = await renew(leases.tokenOf('ann'), { leaseId });
    expect(answer).toMatchObject({ status: 409, body: { code: 'LEASE_LIMIT_REACHED' } });
  });
});

describe('POST /keys/leases/renew answers 403', () => {
  it.each([
    ['malformed', 'no-uuid'],
    ['unknown', randomUUID()],
  ])('renewing a lease with an id that is %s returns 403 LEASE_UNKNOWN', async (_name, leaseId) => {
    const answer = await renew(leases.tokenOf('ann'), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'LEASE_UNKNOWN' } });
  });

  it('renewing the lease of another viewer returns 403 LEASE_UNKNOWN', async () => {
    const leaseId = await lease();
    const answer = await renew(leases.tokenOf('bob'), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'LEASE_UNKNOWN' } });
  });

  it('renewing a revoked lease returns 403 LEASE_REVOKED, also after its expiry', async () => {
    const leaseId = await lease();
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId });
    leases.clock.advance(3_000_000);
    const answer = await renew(leases.tokenOf('ann'), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'LEASE_REVOKED' } });
  });

  it('renewing an expired lease with a token from before a revocation of the pair returns 403 TOKEN_REVOKED, and a newer token renews it', async () => {
    const leaseId = await lease();
    const { body } = await leases.ask('POST', '/keys/leases', leases.tokenOf('ann'), {
      contentId: 'film',
      deviceId: 'tv',
    });
    const token = leases.tokenOf('ann');
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId: body.lease.id });
    expect((await renew(token, { leaseId })).status).toBe(200);
    leases.clock.advance(310_000);
    expect(await renew(token, { leaseId })).toMatchObject({ status: 403, body: { code: 'TOKEN_REVOKED' } });
    expect((await renew(leases.tokenOf('ann'), { leaseId })).status).toBe(200);
  });

  it('renewing a lease after its grace returns 403 LEASE_EXPIRED', async () => {
    const leaseId = await lease();
    leases.clock.advance(330_000);
    const answer = await renew(leases.tokenOf('ann'), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'LEASE_EXPIRED' } });
  });

  it('renewing a lease with a token that no longer names the content returns 403 CONTENT_NOT_ENTITLED', async () => {
    const leaseId = await lease();
    const answer = await renew(leases.tokenOf('ann', { content_ids: 'series' }), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'CONTENT_NOT_ENTITLED' } });
  });
});
