import { databaseKinds } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { openLeases, rawKeys } from './lease.fixture.ts';
import { createLeaseReader } from './lease-reader.ts';
import { openForEachTest } from './stored-leases.fixture.ts';

// The schema of the release before: an upgrade may start the new processes before it migrates.
describe.each(databaseKinds(process.env))('before migration 0007 on $name', (kind) => {
  const database = openForEachTest(kind);
  beforeEach(async () => {
    await database.db.schema.alterTable('sessions').renameTo('sessions_to_come').execute();
  });

  test('without the table of sessions, leases are created, renewed, read, listed and revoked, and a session is 503 until the table is there', async () => {
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
    expect((await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId })).body.revoked).toBe(
      1,
    );
    const selector = { viewerId: 'ann' };
    expect((await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, selector)).status).toBe(200);

    await database.db.schema.alterTable('sessions_to_come').renameTo('sessions').execute();
    leases.clock.advance(60_000);
    const made = await leases.ask('POST', '/keys/sessions', leases.tokenOf('bob'), asked);
    expect([made.status, made.body.lease?.kind]).toEqual([201, 'session']);
    expect(await reader.findLease(made.body.lease.id)).toHaveProperty('session');
    await leases.app.close();
  });
});
