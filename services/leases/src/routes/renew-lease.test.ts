import { beforeEach, expect, it } from 'vitest';
import { type LeaseFixture, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

let leases: LeaseFixture;
beforeEach(async () => {
  leases = await openLeasesOnSqlite();
});

async function lease(body: object = {}): Promise<string> {
  const asked = { contentId: 'film', ...body };
  const answer = await leases.ask('POST', '/keys/leases', leases.tokenOf('ann'), asked);
  return answer.body.lease.id;
}
const renew = async (leaseId: string, token = leases.tokenOf('ann')) => {
  const { status, body } = await leases.ask('POST', '/keys/leases/renew', token, { leaseId });
  return body.code ?? status;
};
const revoke = (leaseId: string) => leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId });

it('a lease can be renewed until the last millisecond of the grace after its expiry', async () => {
  const [first, second] = [await lease(), await lease()];
  leases.clock.advance(329_999);
  expect(await renew(first)).toBe(200);
  leases.clock.advance(1);
  expect(await renew(second)).toBe('LEASE_EXPIRED');
});

it('renewing a revoked lease gets LEASE_REVOKED also after its expiry', async () => {
  const leaseId = await lease();
  await revoke(leaseId);
  leases.clock.advance(3_000_000);
  expect(await renew(leaseId)).toBe('LEASE_REVOKED');
});

it('renewing an expired lease with a token from before a revocation of the pair gets TOKEN_REVOKED, and a newer token renews it', async () => {
  const [leaseId, other] = [await lease(), await lease({ deviceId: 'tv' })];
  const token = leases.tokenOf('ann');
  await revoke(other);
  expect(await renew(leaseId, token)).toBe(200);
  leases.clock.advance(310_000);
  expect(await renew(leaseId, token)).toBe('TOKEN_REVOKED');
  expect(await renew(leaseId)).toBe(200);
});
