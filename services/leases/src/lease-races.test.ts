import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countActiveLeases } from './active-leases.ts';
import { openLeases, rawKeys } from './lease.fixture.ts';
import { createLeaseReader } from './lease-reader.ts';

const atOnce = 50;
const each = Array.from({ length: atOnce }, (_, n) => n);

describe.each(databaseKinds(process.env))('at the same time, on $name', ({ open }) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  it.each([
    ['viewer', { viewerId: 'ann' }],
    ['content', { contentId: 'film' }],
    ['pair', { viewerId: 'ann', contentId: 'film' }],
  ])('no creation with an older token slips past a revocation of the %s', async (_name, selector) => {
    const leases = await openLeases(database.db);
    const token = leases.tokenOf('ann');
    const create = (n: number) =>
      leases.ask('POST', '/keys/leases', token, { contentId: 'film', deviceId: `device ${n}` });
    const [revocation, ...creations] = await Promise.all([
      // So that some creations are ahead of it, some beside it and some behind.
      create(-1).then(() => leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, selector)),
      ...each.map(create),
    ]);
    expect(revocation?.status).toBe(200);
    expect(revocation?.body.revoked).toBeGreaterThan(0);
    for (const { status, body } of creations)
      expect([201, 'TOKEN_REVOKED']).toContain(status === 201 ? 201 : body.code);
    expect(await countActiveLeases(leases)).toBe(0);
    expect(await create(99)).toMatchObject({ status: 403, body: { code: 'TOKEN_REVOKED' } });
  });

  it('the limit of a viewer holds', async () => {
    const leases = await openLeases(database.db, { rules: { maxPerViewer: 5 } });
    const token = leases.tokenOf('ann');
    const answers = await Promise.all(
      each.map((n) =>
        leases.ask('POST', '/keys/leases', token, { contentId: 'film', deviceId: `device ${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(atOnce - 5);
    expect(await countActiveLeases(leases)).toBe(5);
  });

  it('the limit of a viewer holds where the oldest lease gives way', async () => {
    const leases = await openLeases(database.db, { rules: { maxPerViewer: 5, limitMode: 'evict-oldest' } });
    const token = leases.tokenOf('ann');
    const answers = await Promise.all(
      each.map((n) =>
        leases.ask('POST', '/keys/leases', token, { contentId: 'film', deviceId: `device ${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(atOnce);
    expect(await countActiveLeases(leases)).toBe(5);
  });

  it('one device gets one lease', async () => {
    const leases = await openLeases(database.db);
    const token = leases.tokenOf('ann');
    const answers = await Promise.all(
      each.map(() => leases.ask('POST', '/keys/leases', token, { contentId: 'film' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.lease.id)).size).toBe(1);
  });

  it('a revocation wins against renewals', async () => {
    const leases = await openLeases(database.db);
    const token = leases.tokenOf('ann');
    const { body } = await leases.ask('POST', '/keys/leases', token, { contentId: 'film' });
    const leaseId = body.lease.id;
    const renew = () => leases.ask('POST', '/keys/leases/renew', token, { leaseId });
    const [revocation] = await Promise.all([
      renew().then(() => leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId })),
      ...each.map(renew),
    ]);
    expect(revocation?.body.revoked).toBe(1);
    expect(await renew()).toMatchObject({ status: 403, body: { code: 'LEASE_REVOKED' } });
    const reader = createLeaseReader({ db: database.db, renewGraceSeconds: 30 });
    expect((await reader.findLease(leaseId))?.revokedAt).toBe(leases.clock.now());
  });
});
