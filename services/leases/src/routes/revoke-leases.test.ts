import { createDatabaseFeed } from '@latchkey/shared/events/database';
import { beforeEach, expect, it } from 'vitest';
import { type LeaseFixture, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

let leases: LeaseFixture;
beforeEach(async () => {
  leases = await openLeasesOnSqlite();
});

async function lease(viewerId: string, facts: object = {}): Promise<string> {
  const body = { contentId: 'film', ...facts };
  const answer = await leases.ask('POST', '/keys/leases', leases.tokenOf(viewerId), body);
  await leases.authority.leases.load(answer.body.lease.id);
  return answer.body.lease.id;
}
const revoke = async (body: object) =>
  (await leases.ask('POST', '/keys/leases/revoke', rawKeys.full, body)).body.revoked;
const changes = async () =>
  (await createDatabaseFeed(leases.db).since(0)).changes.map(({ change }) => change);
const marks = () => leases.db.selectFrom('marks').select(['viewer_id', 'content_id', 'marked_at']).execute();
const targets = async () =>
  (await leases.db.selectFrom('audit').select('target').execute()).map(({ target }) => target);
const isCached = (leaseId: string) => leases.authority.leases.peek(leaseId) !== undefined;

it('a revocation of one lease is one change that names it and its pair, and drops the cached state of no other lease', async () => {
  const [leaseId, other] = [await lease('ann'), await lease('ann', { deviceId: 'tv' })];
  expect(await revoke({ leaseId })).toBe(1);
  expect(await marks()).toEqual([{ viewer_id: 'ann', content_id: 'film', marked_at: leases.clock.now() }]);
  expect(await changes()).toEqual([{ kind: 'leases', leaseId, viewerId: 'ann', contentId: 'film' }]);
  expect(await targets()).toEqual([leaseId]);
  expect([isCached(leaseId), isCached(other)]).toEqual([false, true]);
  expect(leases.notices.map(({ topic, event }) => `${topic} ${event}`)).toContain('lease revoked');
});

it('a release by the viewer is one change that names the lease alone', async () => {
  const leaseId = await lease('ann');
  await leases.ask('POST', '/keys/leases/revoke', leases.tokenOf('ann'), { leaseId });
  expect(await changes()).toEqual([{ kind: 'leases', leaseId, viewerId: null, contentId: null }]);
  expect(await marks()).toEqual([]);
});

it('a lease that expired long ago can be revoked by its id, which leaves a mark', async () => {
  const leaseId = await lease('ann');
  leases.clock.advance(4_000_000);
  expect(await revoke({ leaseId })).toBe(1);
  expect(await marks()).toHaveLength(1);
});

it('a revocation by viewer covers a lease until the end of its grace', async () => {
  await lease('ann');
  leases.clock.advance(329_999);
  expect(await revoke({ viewerId: 'ann' })).toBe(1);
  await lease('bob');
  leases.clock.advance(330_000);
  expect(await revoke({ viewerId: 'bob' })).toBe(0);
});
