import { parseSid } from '@latchkey/shared/contracts';
import { databaseKinds } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type LeaseFixture, openLeases, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';
import { createLeaseReader } from '../lease-reader.ts';
import { openForEachTest } from '../stored-leases.fixture.ts';

let leases: LeaseFixture;
const ask = (path: string, body: object, credential = leases.tokenOf('ann')) =>
  leases.ask('POST', path, credential, { contentId: 'film', ...body });
const create = (body: object, credential?: string) => ask('/keys/sessions', body, credential);
const createLease = (body: object, credential?: string) => ask('/keys/leases', body, credential);
const act = (path: 'renew' | 'revoke', leaseId: string, credential = leases.tokenOf('ann')) =>
  leases.ask('POST', `/keys/leases/${path}`, credential, { leaseId });
const look = async (leaseId: string) =>
  (await leases.ask('GET', `/api/v1/leases/${leaseId}`, rawKeys.admin)).body.lease;
const listActive = async () => (await leases.ask('GET', '/api/v1/leases?state=active', rawKeys.admin)).body;
const stateOf = (leaseId: string) =>
  createLeaseReader({ db: leases.db, renewGraceSeconds: 30 }).findLease(leaseId);

describe.each(databaseKinds(process.env))('POST /keys/sessions on $name', (kind) => {
  const database = openForEachTest(kind);
  const openWith = async (rules: Parameters<typeof openLeases>[1]) => {
    leases = await openLeases(database.db, rules);
  };
  beforeEach(() => openWith({}));

  test('the secret of a session is stored as a hash alone, and is in no row, list, look-up, event or later answer', async () => {
    const { body } = await create({});
    const { id, leaseId } = body.session;
    expect((await stateOf(leaseId))?.session).toEqual({
      secretHash: parseSid(id)?.secretHash,
      // A quarter of 300 s after its creation.
      extendFrom: leases.clock.now() + 75_000,
    });
    const texts: unknown[] = [
      await leases.ask('GET', '/api/v1/leases', rawKeys.admin),
      await look(leaseId),
      await act('renew', leaseId),
      await act('revoke', leaseId, rawKeys.admin),
      leases.notices,
    ];
    for (const table of ['leases', 'sessions', 'audit', 'changes'] as const)
      texts.push(await database.db.selectFrom(table).selectAll().execute());
    for (const text of texts) expect(JSON.stringify(text)).not.toContain(id.slice(-20));
    expect(leases.notices[0]).toMatchObject({ event: 'created', data: { id: leaseId, kind: 'session' } });
  });

  test('a renewal by the viewer keeps the session, and never reaches beyond its end', async () => {
    await openWith({ rules: { sessionMaxSeconds: 400 } });
    const { session } = (await create({})).body;
    leases.clock.advance(200_000);
    const renewed = await act('renew', session.leaseId);
    expect(renewed.body).toMatchObject({ ttl_seconds: 200, lease: { kind: 'session' } });
    expect(renewed.body.lease.expiresAt).toBe(session.endsAt);
    expect((await stateOf(session.leaseId))?.session?.secretHash).toBe(parseSid(session.id)?.secretHash);
    leases.clock.advance(200_000);
    // Within the grace of a lease.
    expect((await act('renew', session.leaseId)).body.code).toBe('LEASE_EXPIRED');
  });

  test('a session and the lease of a player on one device are two, and each create renews or replaces its own kind', async () => {
    const player = (await createLease({ deviceId: 'tv' })).body.lease.id;
    const session = (await create({ deviceId: 'tv' })).body.lease.id;
    const again = await createLease({ deviceId: 'tv' });
    expect([again.status, again.body.lease.id]).toEqual([200, player]);
    const active = (await listActive()).leases.map(({ id, kind }: { id: string; kind: string }) => [
      id,
      kind,
    ]);
    expect(new Set(active.flat())).toEqual(new Set([player, 'player', session, 'session']));
  });

  test('a second session of the same device replaces the first, also at the limit, and a repeat of many at once leaves one', async () => {
    await openWith({ rules: { maxPerViewer: 1 } });
    const first = (await create({ deviceId: 'tv' })).body.session.leaseId;
    expect((await create({ deviceId: 'tv' })).status).toBe(201);
    expect(await look(first)).toMatchObject({ state: 'revoked', revokedBy: 'limit', kind: 'session' });
    expect((await stateOf(first))?.session).toBeDefined();
    const many = await Promise.all(Array.from({ length: 8 }, () => create({ deviceId: 'tv' })));
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 201));
    expect((await listActive()).total_active).toBe(1);
  });

  test('LEASE_MAX_PER_VIEWER counts sessions and leases of players together', async () => {
    await openWith({ rules: { maxPerViewer: 2 } });
    await createLease({});
    await create({});
    const refused = await create({});
    expect([refused.status, refused.body.code]).toEqual([409, 'LEASE_LIMIT_REACHED']);
    const kinds = refused.body.leases.map(({ kind }: { kind: string }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['player', 'session']));
    expect((await createLease({})).status).toBe(409);
    await openWith({ rules: { maxPerViewer: 2, limitMode: 'evict-oldest' } });
    expect((await create({})).status).toBe(201);
    expect((await listActive()).total_active).toBe(2);
  });
});

describe('POST /keys/sessions', () => {
  beforeEach(async () => {
    leases = await openLeasesOnSqlite();
  });
  const auditRows = () =>
    leases.db
      .selectFrom('audit')
      .select(['actor_kind', 'action', 'target', 'outcome', 'code'])
      .orderBy('number')
      .execute();

  test('without PUBLIC_URL there is no session and no lease, and the refusal names what is missing', async () => {
    leases = await openLeasesOnSqlite({ publicUrl: null });
    expect((await create({})).body).toMatchObject({ code: 'SESSION_UNAVAILABLE', missing: ['PUBLIC_URL'] });
    expect((await create({ contentId: 'series' })).body.missing).toEqual(['PUBLIC_URL', 'playlistUrl']);
    expect(await leases.db.selectFrom('leases').select('id').execute()).toEqual([]);
  });

  test('a session gets the time that it asks for, up to LEASE_MAX_TTL_SECONDS and SESSION_MAX_SECONDS', async () => {
    const expiresAt = async (ttlSeconds?: number) => (await create({ ttlSeconds })).body.session.expiresAt;
    expect(await expiresAt()).toBe('2026-01-01T00:05:00.000Z');
    expect(await expiresAt(20)).toBe('2026-01-01T00:00:20.000Z');
    expect(await expiresAt(1e9)).toBe('2026-01-01T01:00:00.000Z');
    leases = await openLeasesOnSqlite({ rules: { sessionMaxSeconds: 60 } });
    expect((await create({})).body.session).toMatchObject({
      expiresAt: '2026-01-01T00:01:00.000Z',
      endsAt: '2026-01-01T00:01:00.000Z',
    });
  });

  test('an API key that makes, replaces or revokes a session of a viewer is audited, and so is its refusal', async () => {
    const ofAnn = { viewerId: 'ann', deviceId: 'tv' };
    await create({ ...ofAnn, contentId: 'series' }, rawKeys.admin);
    const first = (await create(ofAnn, rawKeys.admin)).body.session.leaseId;
    const second = (await create(ofAnn, rawKeys.admin)).body.session.leaseId;
    await act('revoke', second, rawKeys.admin);
    const refused = {
      action: 'session.create',
      target: null,
      outcome: 'refused',
      code: 'SESSION_UNAVAILABLE',
    };
    const done = (action: string, target: string) => ({ action, target, outcome: 'done', code: null });
    const rows = [
      refused,
      done('session.create', first),
      done('lease.evict', first),
      done('session.create', second),
      done('lease.revoke', second),
    ];
    expect(await auditRows()).toEqual(rows.map((row) => ({ actor_kind: 'api-key', ...row })));
  });
});
