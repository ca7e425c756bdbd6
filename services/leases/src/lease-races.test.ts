import { type Database, isPostgres } from '@latchkey/shared/db';
import { databaseKinds } from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { countActiveLeases } from './app.ts';
import { openLeases, rawKeys } from './lease.fixture.ts';
import { lockForRevocation } from './lease-locks.ts';
import { createLeaseReader } from './lease-reader.ts';
import { mostActive } from './lease-rules.ts';
import { MarkStore } from './mark-store.ts';
import { RevocationStore } from './revocation-store.ts';
import { insertLeases, openForEachTest } from './stored-leases.fixture.ts';

const atOnce = 50;
const each = Array.from({ length: atOnce }, (_, n) => n);

describe.each(databaseKinds(process.env))('at the same time, on $name', (kind) => {
  const database = openForEachTest(kind);

  it.each([
    ['viewer', { viewerId: 'ann' }],
    ['content', { contentId: 'film' }],
    ['pair', { viewerId: 'ann', contentId: 'film' }],
  ])('no concurrent creation with an older token escapes a revocation of the %s', async (_name, selector) => {
    const leases = await openLeases(database.db);
    const token = leases.tokenOf('ann');
    const create = (n: number) =>
      leases.ask('POST', '/keys/leases', token, { contentId: 'film', deviceId: `device ${n}` });
    const [revocation, ...creations] = await Promise.all([
      // So that some creations run before it, some at the same time and some after it.
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

  it('no concurrent creation with the newest token, and none of an API key, escapes a block of the viewer', async () => {
    const leases = await openLeases(database.db);
    const token = leases.tokenOf('ann', { iat: Math.floor(leases.clock.now() / 1_000) + 10 });
    const create = (n: number) =>
      n % 2 === 0
        ? leases.ask('POST', '/keys/leases', token, { contentId: 'film', deviceId: `device ${n}` })
        : leases.ask('POST', '/keys/leases', rawKeys.full, { contentId: 'film', viewerId: 'ann' });
    const [blocked, ...creations] = await Promise.all([
      create(-2).then(() => leases.ask('PUT', '/api/v1/viewers/ann/block', rawKeys.admin, {})),
      ...each.map(create),
    ]);
    expect(blocked?.status).toBe(200);
    expect(blocked?.body.revoked).toBeGreaterThan(0);
    for (const { status, body } of creations)
      expect([201, 'VIEWER_BLOCKED']).toContain(status === 201 ? 201 : body.code);
    expect(await countActiveLeases(leases)).toBe(0);
    expect(await create(98)).toMatchObject({ status: 403, body: { code: 'VIEWER_BLOCKED' } });
  });

  it.each(['reject', 'evict-oldest'] as const)(
    'without LEASE_MAX_PER_VIEWER, concurrent creations of leases and sessions never exceed 1,000 with %s',
    async (limitMode) => {
      const leases = await openLeases(database.db, { rules: { limitMode } });
      const now = leases.clock.now();
      // As many have expired, and do not count.
      await insertLeases(database.db, 2 * mostActive - 1, (n) => ({
        viewer_id: 'ann',
        created_at: now - 10_000 + n,
        expires_at: n < mostActive - 1 ? now + 60_000 : now,
      }));
      const token = leases.tokenOf('ann');
      const bodies = [{ contentId: 'film' }, { contentId: 'film', deviceId: 'tv' }];
      const answers = await Promise.all([
        ...each.map((n) => leases.ask('POST', '/keys/leases', token, bodies[n % 2])),
        ...each.map(() => leases.ask('POST', '/keys/sessions', token, { contentId: 'film' })),
        ...each.map(() =>
          leases.ask('POST', '/keys/leases', rawKeys.full, { contentId: 'film', viewerId: 'ann' }),
        ),
      ]);
      expect(await countActiveLeases(leases)).toBe(mostActive);
      const refused = answers.filter(({ status }) => status === 409);
      if (limitMode === 'evict-oldest') return expect(refused).toEqual([]);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      for (const { body } of refused) {
        expect(body.code).toBe('LEASE_LIMIT_REACHED');
        expect(body.leases).toHaveLength(100);
      }
    },
  );

  it('a revocation takes precedence over concurrent renewals', async () => {
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

  it.each([
    ['revoked', { viewerId: 'ann', contentId: null }, 'LEASE_REVOKED'],
    ['marked', null, 'TOKEN_REVOKED'],
  ])(
    'an expired lease whose viewer is being %s in another transaction waits for it, and is not renewed',
    async (_, selector, code) => {
      const leases = await openLeases(database.db);
      const token = leases.tokenOf('ann');
      const { body } = await leases.ask('POST', '/keys/leases', token, { contentId: 'film' });
      leases.clock.advance(310_000);
      const now = leases.clock.now();
      const renewal = await database.db.transaction().execute(async (tx) => {
        await lockForRevocation(tx, { viewerId: 'ann', contentId: 'film' });
        const { lease } = body;
        const asked = leases
          .ask('POST', '/keys/leases/renew', token, { leaseId: lease.id })
          .then((answer) => [answer]);
        await Promise.race([asked, waitsForLock(database.db)]);
        await new MarkStore(tx).mark({ viewerId: 'ann', contentId: 'film' }, now);
        const covers = { createdAfter: 0, createdUpTo: now, expiringAfter: now - 30_000, revokedAt: now };
        if (selector)
          await new RevocationStore(tx).insert(
            { ...selector, ...covers, reason: null, auditNumber: null },
            null,
          );
        return { asked };
      });
      const [answer] = await renewal.asked;
      expect(answer).toMatchObject({ status: 403, body: { code } });
      const row = await database.db.selectFrom('leases').select('renewed_at').executeTakeFirst();
      expect(row?.renewed_at).toBeNull();
    },
  );
});

/** Resolves once a transaction of Postgres waits for another; at once on SQLite, which has one connection. */
async function waitsForLock(db: Database): Promise<void> {
  if (!isPostgres(db)) return;
  for (;;) {
    const { rows } = await sql`select 1 from pg_locks where not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
    if (rows.length > 0) return;
  }
}
