import { parseSid } from '@latchkey/shared/contracts';
import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LeaseFixture, openLeases, publicUrlOfTests, rawKeys } from '../lease.fixture.ts';
import { createLeaseReader } from '../lease-reader.ts';

describe.each(databaseKinds(process.env))('POST /keys/sessions on $name', ({ open }) => {
  let database: TestDatabase;
  let leases: LeaseFixture;
  beforeEach(async () => {
    database = await open();
    leases = await openLeases(database.db);
  });
  afterEach(async () => {
    await leases.app.close();
    await database.close();
  });

  const create = (body: object, credential = leases.tokenOf('ann')) =>
    leases.ask('POST', '/keys/sessions', credential, { contentId: 'film', ...body });
  const createLease = (body: object, credential = leases.tokenOf('ann')) =>
    leases.ask('POST', '/keys/leases', credential, { contentId: 'film', ...body });
  const stateOf = async (leaseId: string) =>
    createLeaseReader({ db: database.db, renewGraceSeconds: 30 }).findLease(leaseId);
  const listActive = async () => (await leases.ask('GET', '/api/v1/leases?state=active', rawKeys.admin)).body;
  const auditRows = () =>
    database.db
      .selectFrom('audit')
      .select(['actor_kind', 'action', 'target', 'outcome', 'code'])
      .orderBy('number')
      .execute();

  test('a viewer gets a session with its URL, whose secret is stored as a hash alone', async () => {
    const { status, body } = await create({ deviceId: 'tv' });
    expect(status).toBe(201);
    const { session, url, lease } = body;
    expect(session).toEqual({
      id: expect.stringMatching(/^[\w-]{43}$/),
      leaseId: lease.id,
      viewerId: 'ann',
      contentId: 'film',
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-01T00:05:00.000Z',
      endsAt: '2026-01-01T06:00:00.000Z',
    });
    expect(url).toBe(`${publicUrlOfTests}play/${session.id}/index.m3u8`);
    expect(lease).toMatchObject({ kind: 'session', deviceId: 'tv', state: 'active', lastUsedAt: null });
    const parsed = parseSid(session.id);
    expect(parsed?.leaseId).toBe(lease.id);
    expect((await stateOf(lease.id))?.session).toEqual({
      secretHash: parsed?.secretHash,
      // A quarter of 300 s after its creation.
      extendFrom: leases.clock.now() + 75_000,
    });
  });

  test('the id of a session is in no row, list, look-up, event or later answer', async () => {
    const { body } = await create({});
    const { id, leaseId } = body.session;
    const secret = id.slice(-20);
    const texts = [
      await leases.ask('GET', '/api/v1/leases', rawKeys.admin),
      await leases.ask('GET', `/api/v1/leases/${leaseId}`, rawKeys.admin),
      await leases.ask('POST', '/keys/leases/renew', leases.tokenOf('ann'), { leaseId }),
      await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId }),
      leases.notices,
    ];
    for (const table of ['leases', 'sessions', 'audit', 'changes'] as const)
      texts.push((await database.db.selectFrom(table).selectAll().execute()) as never);
    for (const text of texts) expect(JSON.stringify(text)).not.toContain(secret);
    expect(leases.notices[0]).toMatchObject({ event: 'created', data: { id: leaseId, kind: 'session' } });
  });

  test('an API key that names the viewer creates a session, and without a viewer or in the scope playback it does not', async () => {
    const { status, body } = await create({ viewerId: 'bob' }, rawKeys.full);
    expect([status, body.session.viewerId]).toEqual([201, 'bob']);
    expect((await create({}, rawKeys.full)).status).toBe(400);
    expect((await create({ viewerId: 'bob' }, rawKeys.playback)).status).toBe(403);
    expect((await create({ viewerId: 'bob' })).status).toBe(400);
    expect((await leases.ask('POST', '/keys/sessions', null, { contentId: 'film' })).status).toBe(401);
  });

  test('without PUBLIC_URL or a playlistUrl of the content there is no session, and the refusal names what is missing', async () => {
    const refused = await create({ contentId: 'series' });
    expect([refused.status, refused.body.code]).toEqual([409, 'SESSION_UNAVAILABLE']);
    expect(refused.body.missing).toEqual(['playlistUrl']);
    const bare = await openLeases(database.db, { publicUrl: null });
    const ask = (contentId: string) => bare.ask('POST', '/keys/sessions', bare.tokenOf('ann'), { contentId });
    expect((await ask('film')).body.missing).toEqual(['PUBLIC_URL']);
    expect((await ask('series')).body.missing).toEqual(['PUBLIC_URL', 'playlistUrl']);
    await bare.app.close();
    expect((await create({ contentId: 'withdrawn' })).body.code).toBe('CONTENT_NOT_FOUND');
    const other = leases.tokenOf('ann', { content_ids: ['other'] });
    expect((await create({}, other)).body.code).toBe('CONTENT_NOT_ENTITLED');
    expect(await database.db.selectFrom('leases').select('id').execute()).toEqual([]);
  });

  test('a session gets the time that it asks for, up to LEASE_MAX_TTL_SECONDS and SESSION_MAX_SECONDS', async () => {
    const expiresAt = async (ttlSeconds: number) => (await create({ ttlSeconds })).body.session.expiresAt;
    expect(await expiresAt(20)).toBe('2026-01-01T00:00:20.000Z');
    expect(await expiresAt(1e9)).toBe('2026-01-01T01:00:00.000Z');
    const short = await openLeases(database.db, { rules: { sessionMaxSeconds: 60 } });
    const { body } = await short.ask('POST', '/keys/sessions', short.tokenOf('ann'), { contentId: 'film' });
    expect(body.session).toMatchObject({
      expiresAt: '2026-01-01T00:01:00.000Z',
      endsAt: '2026-01-01T00:01:00.000Z',
    });
    await short.app.close();
    for (const ttlSeconds of [0, -1, 1.5, '60']) expect((await create({ ttlSeconds })).status).toBe(400);
  });

  test('a renewal by the viewer keeps the session, and never reaches beyond its end', async () => {
    leases = await openLeases(database.db, { rules: { sessionMaxSeconds: 400 } });
    const { body } = await create({});
    const { leaseId } = body.session;
    const renew = () => leases.ask('POST', '/keys/leases/renew', leases.tokenOf('ann'), { leaseId });
    leases.clock.advance(200_000);
    const renewed = await renew();
    expect(renewed.body).toMatchObject({ ttl_seconds: 200, lease: { kind: 'session' } });
    expect(renewed.body.lease.expiresAt).toBe(body.session.endsAt);
    expect((await stateOf(leaseId))?.session?.secretHash).toBe(parseSid(body.session.id)?.secretHash);
    leases.clock.advance(200_000);
    // Within the grace of a lease.
    expect((await renew()).body.code).toBe('LEASE_EXPIRED');
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
    leases = await openLeases(database.db, { rules: { maxPerViewer: 1 } });
    const first = (await create({ deviceId: 'tv' })).body.session.leaseId;
    const second = await create({ deviceId: 'tv' });
    expect(second.status).toBe(201);
    const replaced = await leases.ask('GET', `/api/v1/leases/${first}`, rawKeys.admin);
    expect(replaced.body.lease).toMatchObject({ state: 'revoked', revokedBy: 'limit', kind: 'session' });
    expect((await stateOf(first))?.session).toBeDefined();
    const many = await Promise.all(Array.from({ length: 8 }, () => create({ deviceId: 'tv' })));
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 201));
    expect((await listActive()).total_active).toBe(1);
  });

  test('LEASE_MAX_PER_VIEWER counts sessions and leases of players together', async () => {
    leases = await openLeases(database.db, { rules: { maxPerViewer: 2 } });
    await createLease({});
    await create({});
    const refused = await create({});
    expect([refused.status, refused.body.code]).toEqual([409, 'LEASE_LIMIT_REACHED']);
    const kinds = refused.body.leases.map(({ kind }: { kind: string }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['player', 'session']));
    expect((await createLease({})).status).toBe(409);
    leases = await openLeases(database.db, { rules: { maxPerViewer: 2, limitMode: 'evict-oldest' } });
    expect((await create({})).status).toBe(201);
    expect((await listActive()).total_active).toBe(2);
  });

  test.each([
    ['viewer', { viewerId: 'ann' }],
    ['content', { contentId: 'film' }],
    ['viewer and content', { viewerId: 'ann', contentId: 'film' }],
  ])('a revocation by %s covers sessions, and an old token gets no new one', async (_, selector) => {
    const token = leases.tokenOf('ann');
    const { leaseId } = (await create({}, token)).body.session;
    const { body } = await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, selector);
    expect(body).toMatchObject({ revoked: 1, leases: [{ id: leaseId, kind: 'session' }] });
    expect(await stateOf(leaseId)).toMatchObject({ revokedAt: leases.clock.now(), session: {} });
    expect((await create({}, token)).body.code).toBe('TOKEN_REVOKED');
  });

  test('an API key that makes, replaces or revokes a session of a viewer is audited, and so is its refusal', async () => {
    const ofAnn = { viewerId: 'ann', deviceId: 'tv' };
    await create({ ...ofAnn, contentId: 'series' }, rawKeys.admin);
    const first = (await create(ofAnn, rawKeys.admin)).body.session.leaseId;
    const second = (await create(ofAnn, rawKeys.admin)).body.session.leaseId;
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId: second });
    const act = (action: string, target: string) => ({ action, target, outcome: 'done', code: null });
    expect((await auditRows()).map(({ actor_kind, ...row }) => row)).toEqual([
      { action: 'session.create', target: null, outcome: 'refused', code: 'SESSION_UNAVAILABLE' },
      act('session.create', first),
      act('lease.evict', first),
      act('session.create', second),
      act('lease.revoke', second),
    ]);
    const kinds = (await auditRows()).map(({ actor_kind }) => actor_kind);
    expect(kinds).toEqual(Array(5).fill('api-key'));
  });

  test('a viewer that makes, replaces, renews and releases sessions and leases leaves no row in the audit', async () => {
    const token = leases.tokenOf('ann');
    for (let n = 0; n < 20; n++) {
      await create({ deviceId: 'tv' }, token);
      const { leaseId } = (await create({}, token)).body.session;
      const { id } = (await leases.ask('POST', '/keys/leases', token, { contentId: 'film' })).body.lease;
      for (const path of ['renew', 'revoke'])
        for (const named of [leaseId, id]) {
          const { status } = await leases.ask('POST', `/keys/leases/${path}`, token, { leaseId: named });
          expect(status).toBe(200);
        }
      await leases.ask('POST', '/keys/leases/revoke', token, { leaseId: crypto.randomUUID() });
      await create({ contentId: `no-such-content-${n}` }, token);
    }
    expect(await auditRows()).toEqual([]);
    const released = leases.notices.filter(({ topic, event }) => topic === 'lease' && event === 'revoked');
    // Two in each round, and the session that the next one of the same device replaced.
    expect(released).toHaveLength(2 * 20 + 19);
  });

  test('where there are no leases there are no sessions: POST /keys/sessions is 404, and other methods are left to the keys', async () => {
    const off = await openLeases(database.db, { rules: { mode: 'off' } });
    off.app.get('/keys/:contentId', { config: { access: 'open' } }, () => 'a key');
    expect((await off.ask('POST', '/keys/sessions', off.tokenOf('ann'), { contentId: 'film' })).status).toBe(
      404,
    );
    expect((await off.ask('GET', '/keys/sessions')).body).toBe('a key');
    await off.app.close();
  });
});
