import { beforeEach, expect, it } from 'vitest';
import { type LeaseFixture, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

let leases: LeaseFixture;
beforeEach(async () => {
  leases = await openLeasesOnSqlite();
});

/** Less than the half minute after which a process that has not read the change feed serves nothing. */
const blockMs = 20_000;
const path = '/api/v1/viewers/ann/block';
const block = (body: object = {}) => leases.ask('PUT', path, rawKeys.admin, body);
const blockFor = (ms: number) => block({ until: new Date(leases.clock.now() + ms).toISOString() });
const create = async (credential = leases.tokenOf('ann'), more: object = {}) => {
  const asked = { contentId: 'film', ...more };
  const { status, body } = await leases.ask('POST', '/keys/leases', credential, asked);
  return body.code ?? status;
};

it('a block holds to the last millisecond before its end, for tokens and API keys', async () => {
  expect((await blockFor(blockMs)).status).toBe(200);
  leases.clock.advance(blockMs - 1);
  expect(await create()).toBe('VIEWER_BLOCKED');
  expect(await create(rawKeys.admin, { viewerId: 'ann' })).toBe('VIEWER_BLOCKED');
  expect((await leases.ask('GET', path, rawKeys.admin)).body.block).not.toBeNull();
  leases.clock.advance(1);
  expect(await create()).toBe(201);
  expect(await create(rawKeys.admin, { viewerId: 'ann' })).toBe(201);
  expect((await leases.ask('GET', path, rawKeys.admin)).body.block).toBeNull();
});

it('a further block also revokes a lease that was made while a process took the earlier one for ended', async () => {
  await blockFor(blockMs);
  leases.clock.advance(blockMs);
  expect(await create()).toBe(201);
  // This clock was ahead: for the process with the right one, the block still holds.
  leases.clock.advance(-10_000);
  expect((await block()).body.revoked).toBe(1);
});

it('an ended block of which the row is still there is no block: it is not lifted, and a new one has nothing before it', async () => {
  await blockFor(blockMs);
  leases.clock.advance(blockMs);
  const response = await leases.app.inject({
    method: 'DELETE',
    url: path,
    headers: { authorization: `Bearer ${rawKeys.admin}` },
  });
  expect(response.statusCode).toBe(404);
  await block();
  const rows = await leases.db
    .selectFrom('audit')
    .select('details')
    .where('action', '=', 'viewer.block')
    .execute();
  expect(rows.map(({ details }) => JSON.parse(details ?? '').changes.block.before)).toEqual([null, null]);
});
