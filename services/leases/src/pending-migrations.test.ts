import { databaseKinds } from '@latchkey/shared/testing';
import { describe, expect, it } from 'vitest';
import { openLeases, rawKeys } from './lease.fixture.ts';
import { createLeaseReader } from './lease-reader.ts';
import { openForEachTest } from './stored-leases.fixture.ts';

// The schemas of 0.2.0 and after it: an upgrade may start the new processes before it migrates.
describe.each(databaseKinds(process.env))('before a migration on $name', (kind) => {
  const database = openForEachTest(kind);
  const rename = (from: string, to: string) => database.db.schema.alterTable(from).renameTo(to).execute();

  it('without the table of revocations, a revocation by content writes every row before it answers', async () => {
    await rename('revocations', 'revocations_to_come');
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

    await rename('revocations_to_come', 'revocations');
    await Promise.all(Array.from({ length: 119 }, create));
    expect((await revoke()).body.revoked).toBe(120);
    expect(await active()).toBe(0);
    expect(await leases.writeRevocations()).toBe(120);
  });

  it('without the table of sessions, leases are created, renewed, read, listed and revoked, and a session is 503 until the table is there', async () => {
    await rename('sessions', 'sessions_to_come');
    const leases = await openLeases(database.db);
    const token = leases.tokenOf('ann');
    const asked = { contentId: 'film', deviceId: 'tv' };
    const { body } = await leases.ask('POST', '/keys/leases', token, asked);
    const leaseId = body.lease.id;
    expect(body.lease.kind).toBe('player');
    expect((await leases.ask('POST', '/keys/leases', token, asked)).status).toBe(200);
    expect((await leases.ask('POST', '/keys/leases/renew', token, { leaseId })).status).toBe(200);
    const reader = createLeaseReader({ db: database.db, renewGraceSeconds: 30 });
    expect(await reader.findLease(leaseId)).toMatchObject({ viewerId: 'ann', revokedAt: null });
    expect(await reader.findLeases([leaseId])).toHaveLength(1);
    expect((await leases.ask('GET', '/api/v1/leases', rawKeys.admin)).body.leases).toHaveLength(1);
    expect((await leases.ask('POST', '/keys/sessions', token, asked)).status).toBe(503);
    const revoke = (selector: object) => leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, selector);
    expect((await revoke({ leaseId })).body.revoked).toBe(1);
    expect((await revoke({ viewerId: 'ann' })).status).toBe(200);

    await rename('sessions_to_come', 'sessions');
    leases.clock.advance(60_000);
    const made = await leases.ask('POST', '/keys/sessions', leases.tokenOf('bob'), asked);
    expect([made.status, made.body.lease?.kind]).toEqual([201, 'session']);
    expect(await reader.findLease(made.body.lease.id)).toHaveProperty('session');
  });
});
