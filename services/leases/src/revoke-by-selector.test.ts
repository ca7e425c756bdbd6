import { databaseKinds } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { countActiveLeases } from './app.ts';
import { type LeaseFixture, openLeases, rawKeys } from './lease.fixture.ts';
import { createLeaseReader } from './lease-reader.ts';
import { insertLeases, openForEachTest } from './stored-leases.fixture.ts';

describe.each(databaseKinds(process.env))(
  'a revocation of more leases than are written at once, on $name',
  (kind) => {
    const database = openForEachTest(kind);
    let leases: LeaseFixture;
    beforeEach(async () => {
      leases = await openLeases(database.db);
    });

    /** Active leases of viewers `v0`, `v1`, …, in the order of their creation. */
    async function fill(
      count: number,
      facts: { contentId?: string; viewerId?: string } = {},
    ): Promise<string[]> {
      const now = leases.clock.now();
      const rows = await insertLeases(database.db, count, (n) => ({
        viewer_id: facts.viewerId ?? `v${n}`,
        content_id: facts.contentId ?? 'film',
        device_id: `device ${n}`,
        created_at: now - count + n,
        expires_at: now + 300_000,
      }));
      return rows.map(({ id }) => id);
    }
    const revoke = (body: object) => leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, body);
    const list = async (query: string) =>
      (await leases.ask('GET', `/api/v1/leases?${query}`, rawKeys.admin)).body;
    const create = (token: string, body: object) => leases.ask('POST', '/keys/leases', token, body);
    const openRows = async () =>
      (await database.db.selectFrom('leases').select('id').where('revoked_at', 'is', null).execute()).length;
    const affected = async () =>
      (await database.db.selectFrom('audit').select('affected').orderBy('number').execute()).map((row) =>
        Number(row.affected ?? -1),
      );
    const reader = () => createLeaseReader({ db: database.db, renewGraceSeconds: 30 });

    it('a large revocation answers before its rows are written, and its leases count as revoked for keys, renewals, look-ups, lists and gauges', async () => {
      const ids = await fill(150);
      const [other] = await fill(1, { viewerId: 'zoe', contentId: 'series' });
      const { body } = await revoke({ contentId: 'film', reason: 'terms' });
      expect([body.revoked, body.more, body.leases.length]).toEqual([150, undefined, 100]);
      expect(body.leases[0]).toMatchObject({ id: ids.at(-1), state: 'revoked', reason: 'terms' });
      expect(await openRows()).toBe(151);

      const at = leases.clock.now();
      for (const check of ['before', 'after']) {
        expect(await reader().findLease(ids[0] ?? '')).toMatchObject({ revokedAt: at });
        const renewal = await leases.ask('POST', '/keys/leases/renew', rawKeys.admin, { leaseId: ids[0] });
        expect(renewal.body.code).toBe('LEASE_REVOKED');
        const look = await leases.ask('GET', `/api/v1/leases/${ids[0]}`, rawKeys.admin);
        expect(look.body.lease).toMatchObject({ state: 'revoked', revokedBy: 'management', reason: 'terms' });
        for (const named of ['', 'contentId=film&', 'viewerId=v3&', 'viewerId=v3&contentId=film&']) {
          const all = await list(`${named}limit=500`);
          const active = named === '' ? 1 : 0;
          expect(all.total_active).toBe(active);
          const states = all.leases.map(({ state }: { state: string }) => state);
          expect(states.filter((state: string) => state === 'active')).toHaveLength(active);
          expect((await list(`${named}limit=500&state=revoked`)).leases).toHaveLength(states.length - active);
          expect((await list(`${named}limit=500&state=active`)).leases).toHaveLength(active);
          expect((await list(`${named}limit=500&state=expired`)).leases).toEqual([]);
        }
        expect(await countActiveLeases(leases)).toBe(1);
        expect((await reader().findLease(other ?? ''))?.revokedAt).toBeNull();
        if (check === 'before') expect(await leases.writeRevocations()).toBe(150);
      }
      expect(await openRows()).toBe(1);
    });

    it('revoked leases are listed in one order and without a gap while half of their rows are written', async () => {
      const ids = await fill(150);
      await revoke({ contentId: 'film' });
      const written = ids.slice(40, 90);
      await database.db
        .updateTable('leases')
        .set({ revoked_at: leases.clock.now(), revoked_by: 'management' })
        .where('id', 'in', written)
        .execute();
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await list(`state=revoked&limit=20${cursor}`);
        seen.push(...page.leases.map(({ id }: { id: string }) => id));
        if (page.next_cursor === null) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      expect(seen).toEqual(ids.toReversed());
    });

    it('leases of a large revocation do not count for LEASE_MAX_PER_VIEWER, and are not reused', async () => {
      leases = await openLeases(database.db, { rules: { maxPerViewer: 1 } });
      await fill(150, { viewerId: 'ann' });
      await revoke({ viewerId: 'ann' });
      leases.clock.advance(20_000);
      const { status, body } = await create(leases.tokenOf('ann'), {
        contentId: 'film',
        deviceId: 'device 7',
      });
      expect([status, body.lease.state]).toEqual([201, 'active']);
      await leases.writeRevocations();
      expect((await reader().findLease(body.lease.id))?.revokedAt).toBeNull();
    });

    it('a large revocation covers no lease that is created after it, in the same millisecond or by a clock that is behind', async () => {
      await fill(150);
      await revoke({ contentId: 'film' });
      const ask = { contentId: 'film', viewerId: 'ann' };
      const same = await create(rawKeys.admin, ask);
      leases.clock.setWall(leases.clock.now() - 30_000);
      const behind = await create(rawKeys.admin, ask);
      await leases.writeRevocations();
      for (const { body } of [same, behind])
        expect(await reader().findLease(body.lease.id)).toMatchObject({ revokedAt: null });
    });

    it('a large revocation covers leases that a process whose clock is ahead created before it', async () => {
      leases.clock.setWall(leases.clock.now() + 30_000);
      const ids = await fill(150);
      leases.clock.setWall(leases.clock.now() - 30_000);
      expect((await revoke({ contentId: 'film' })).body.revoked).toBe(150);
      expect(await reader().findLease(ids.at(-1) ?? '')).toMatchObject({ revokedAt: leases.clock.now() });
    });

    it('a revocation counts up to 10,000 leases exactly and reports that there are more, and the audit gets the exact number once all are written', async () => {
      await fill(10_050);
      const { body } = await revoke({ contentId: 'film' });
      expect([body.revoked, body.more, body.leases.length]).toEqual([10_000, true, 100]);
      expect(await affected()).toEqual([-1]);
      expect(await leases.writeRevocations()).toBe(10_050);
      expect(await affected()).toEqual([10_050]);
      const shown = await database.db.selectFrom('revocations').select(['written']).execute();
      expect(shown.map(({ written }) => Number(written))).toEqual([10_050]);
    });

    it('a repeated revocation counts only leases that were created since, before and after the rows are written', async () => {
      await fill(150);
      await revoke({ contentId: 'film' });
      leases.clock.advance(1_000);
      expect((await revoke({ contentId: 'film', reason: 'again' })).body).toEqual({ revoked: 0, leases: [] });
      await create(rawKeys.admin, { contentId: 'film', viewerId: 'ann' });
      leases.clock.advance(1_000);
      expect((await revoke({ contentId: 'film' })).body.revoked).toBe(1);
      expect((await revoke({ viewerId: 'v1' })).body.revoked).toBe(0);
      await leases.writeRevocations();
      expect((await revoke({ contentId: 'film' })).body.revoked).toBe(0);
      expect(await affected()).toEqual([150, 0, -1, 1, 0, 0]);
    });

    it('a lease that two revocations name is revoked once, with the time and reason of the first', async () => {
      await fill(150, { viewerId: 'ann' });
      const [both] = await fill(150, { viewerId: 'ann', contentId: 'series' });
      await revoke({ contentId: 'series', reason: 'first' });
      const at = leases.clock.now();
      leases.clock.advance(1_000);
      expect((await revoke({ viewerId: 'ann', reason: 'second' })).body.revoked).toBe(150);
      expect(await countActiveLeases(leases)).toBe(0);
      expect((await list('viewerId=ann')).total_active).toBe(0);
      const look = () => leases.ask('GET', `/api/v1/leases/${both}`, rawKeys.admin);
      const before = (await look()).body;
      expect(before.lease).toMatchObject({ reason: 'first', revokedAt: new Date(at).toISOString() });
      await leases.writeRevocations();
      expect((await look()).body).toEqual(before);
      expect(await affected()).toEqual([150, 150]);
    });

    it('a lease that was released, or revoked by its id, keeps that end in a later revocation by content', async () => {
      const ids = await fill(150, { viewerId: 'ann' });
      await revoke({ viewerId: 'ann', reason: 'first' });
      const [leaseId] = ids;
      for (const credential of [leases.tokenOf('ann'), rawKeys.admin]) {
        const again = await leases.ask('POST', '/keys/leases/revoke', credential, {
          leaseId,
          reason: 'again',
        });
        expect(again.body).toEqual({ revoked: 0, leases: [] });
      }
      await leases.writeRevocations();
      const { body } = await leases.ask('GET', `/api/v1/leases/${leaseId}`, rawKeys.admin);
      expect(body.lease).toMatchObject({ revokedBy: 'management', reason: 'first' });
    });

    it('a lease that had ended before a revocation is not revoked by it, and no longer grace brings it back', async () => {
      const [ended] = await fill(150);
      leases.clock.advance(331_000);
      expect((await revoke({ contentId: 'film' })).body.revoked).toBe(0);
      const lenient = await openLeases(database.db, { rules: { renewGraceSeconds: 3_600 } });
      lenient.clock.advance(332_000);
      const renewal = await lenient.ask('POST', '/keys/leases/renew', rawKeys.admin, { leaseId: ended });
      expect(renewal.body.code).toBe('LEASE_REVOKED');
    });
  },
);
