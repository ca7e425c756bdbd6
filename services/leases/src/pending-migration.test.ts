import { databaseKinds } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { openLeases, rawKeys } from './lease.fixture.ts';
import { openForEachTest } from './stored-leases.fixture.ts';

// The schema of 0.2.0: an upgrade may start the new processes before it migrates.
describe.each(databaseKinds(process.env))('before migration 0004 on $name', (kind) => {
  const database = openForEachTest(kind);
  beforeEach(async () => {
    await database.db.schema.alterTable('revocations').renameTo('revocations_to_come').execute();
  });

  it('without the table of revocations, a revocation by content writes every row before it answers', async () => {
    const leases = await openLeases(database.db);
    const create = () =>
      leases.ask('POST', '/keys/leases', rawKeys.admin, { contentId: 'film', viewerId: 'ann' });
    const revoke = () => leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { contentId: 'film' });
    const active = async () =>
      (await leases.ask('GET', '/api/v1/leases?contentId=film', rawKeys.admin)).body.total_active;
    await Promise.all(Array.from({ length: 120 }, create));
    expect((await revoke()).body).toMatchObject({ revoked: 120 });
    const open = await database.db
      .selectFrom('leases')
      .select('id')
      .where('revoked_at', 'is', null)
      .execute();
    expect(open).toEqual([]);
    expect((await revoke()).body.revoked).toBe(0);
    const { body } = await create();
    expect(await active()).toBe(1);
    const renewal = { leaseId: body.lease.id };
    expect((await leases.ask('POST', '/keys/leases/renew', rawKeys.admin, renewal)).status).toBe(200);
    expect(await leases.writeRevocations()).toBe(0);

    await database.db.schema.alterTable('revocations_to_come').renameTo('revocations').execute();
    await Promise.all(Array.from({ length: 119 }, create));
    expect((await revoke()).body.revoked).toBe(120);
    expect(await active()).toBe(0);
    expect(await leases.writeRevocations()).toBe(120);
  });
});
