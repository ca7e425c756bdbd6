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
  it('with a life that counts from now, and the cached state is forgotten', async () => {
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

  it('until the grace after the expiry is over', async () => {
    const leaseId = await lease();
    leases.clock.advance(329_999);
    expect((await renew(leases.tokenOf('ann'), { leaseId })).status).toBe(200);
  });

  it("to an API key, for anyone's lease, and leaves an audit row", async () => {
    const leaseId = await lease();
    expect((await renew(rawKeys.admin, { leaseId })).status).toBe(200);
    const rows = await leases.db.selectFrom('audit').select(['action', 'target']).execute();
    expect(rows).toEqual([{ action: 'lease.renew', target: leaseId }]);
  });
});

describe('POST /keys/leases/renew answers 400, 401, 404 and 409', () => {
  it('without a lease id, without a credential, and once the content is disabled', async () => {
    const leaseId = await lease();
    expect((await renew(leases.tokenOf('ann'), {})).status).toBe(400);
    expect((await renew(null, { leaseId })).status).toBe(401);
    leases.contents.set('film', { status: 'disabled', keyVersion: 1 });
    expect(await renew(leases.tokenOf('ann'), { leaseId })).toMatchObject({
      status: 404,
      body: { code: 'CONTENT_NOT_FOUND' },
    });
  });

  it('where an expired lease would come back as one too many', async () => {
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
  ])('LEASE_UNKNOWN for an id that is %s', async (_name, leaseId) => {
    const answer = await renew(leases.tokenOf('ann'), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'LEASE_UNKNOWN' } });
  });

  it('LEASE_UNKNOWN for the lease of someone else', async () => {
    const leaseId = await lease();
    const answer = await renew(leases.tokenOf('bob'), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'LEASE_UNKNOWN' } });
  });

  it('LEASE_REVOKED, also when the time has run out since', async () => {
    const leaseId = await lease();
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId });
    leases.clock.advance(3_000_000);
    const answer = await renew(leases.tokenOf('ann'), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'LEASE_REVOKED' } });
  });

  it('TOKEN_REVOKED for an expired lease, once a lease of another device was revoked, until the token is newer', async () => {
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

  it('LEASE_EXPIRED once the grace is over', async () => {
    const leaseId = await lease();
    leases.clock.advance(330_000);
    const answer = await renew(leases.tokenOf('ann'), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'LEASE_EXPIRED' } });
  });

  it('CONTENT_NOT_ENTITLED where the token no longer opens the content', async () => {
    const leaseId = await lease();
    const answer = await renew(leases.tokenOf('ann', { content_ids: 'series' }), { leaseId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'CONTENT_NOT_ENTITLED' } });
  });
});
