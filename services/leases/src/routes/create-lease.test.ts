import { beforeEach, describe, expect, it } from 'vitest';
import { type LeaseFixture, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

let leases: LeaseFixture;
beforeEach(async () => {
  leases = await openLeasesOnSqlite();
});

const create = (credential: string | null, body: object) =>
  leases.ask('POST', '/keys/leases', credential, body);
const auditRows = () =>
  leases.db.selectFrom('audit').select(['action', 'target', 'outcome', 'code']).execute();

describe('POST /keys/leases answers 201', () => {
  it('creating a lease returns 201 with the lease, its life, and when to renew it', async () => {
    const { status, body } = await create(leases.tokenOf('ann'), { contentId: 'film', deviceId: 'tv' });
    expect(status).toBe(201);
    expect(body).toEqual({
      lease: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        viewerId: 'ann',
        contentId: 'film',
        deviceId: 'tv',
        state: 'active',
        createdAt: '2026-01-01T00:00:00.000Z',
        renewedAt: null,
        expiresAt: '2026-01-01T00:05:00.000Z',
        revokedAt: null,
        revokedBy: null,
        reason: null,
        kind: 'player',
        lastUsedAt: null,
      },
      ttl_seconds: 300,
      renew_after_seconds: 225,
    });
    expect(leases.notices).toEqual([{ topic: 'lease', event: 'created', data: body.lease }]);
    expect(await auditRows()).toEqual([]);
  });

  it('a new lease has the requested life, up to the maximum', async () => {
    const token = leases.tokenOf('ann');
    const short = await create(token, { contentId: 'film', requestedTtlSeconds: 8 });
    expect(short.body).toMatchObject({ ttl_seconds: 8, renew_after_seconds: 6 });
    const long = await create(token, { contentId: 'series', requestedTtlSeconds: 1e9 });
    expect(long.body).toMatchObject({ ttl_seconds: 3_600, renew_after_seconds: 2_700 });
  });

  it('an API key that names the viewer can create a lease, and that is audited', async () => {
    const { status, body } = await create(rawKeys.full, { contentId: 'film', viewerId: 'ann' });
    expect(status).toBe(201);
    expect(body.lease.viewerId).toBe('ann');
    expect(await auditRows()).toEqual([
      { action: 'lease.create', target: body.lease.id, outcome: 'done', code: null },
    ]);
  });

  it('a lease for content that is not registered is created only if CONTENT_MODE is any', async () => {
    leases = await openLeasesOnSqlite({ contentMode: 'any' });
    expect((await create(leases.tokenOf('ann'), { contentId: 'unheard-of' })).status).toBe(201);
    expect((await create(leases.tokenOf('ann'), { contentId: 'withdrawn' })).status).toBe(404);
  });

  it('a token that was issued after a revocation, by more than clocks may differ, gets a lease', async () => {
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { viewerId: 'ann' });
    leases.clock.advance(10_000);
    expect((await create(leases.tokenOf('ann'), { contentId: 'film' })).body.code).toBe('TOKEN_REVOKED');
    leases.clock.advance(1_000);
    expect((await create(leases.tokenOf('ann'), { contentId: 'film' })).status).toBe(201);
  });

  it('creating one lease too many ends the oldest one if LEASE_LIMIT_MODE is evict-oldest', async () => {
    leases = await openLeasesOnSqlite({ rules: { maxPerViewer: 1, limitMode: 'evict-oldest' } });
    const token = leases.tokenOf('ann');
    const first = await create(token, { contentId: 'film' });
    await leases.authority.leases.load(first.body.lease.id);
    expect((await create(token, { contentId: 'series' })).status).toBe(201);
    expect(leases.authority.leases.peek(first.body.lease.id)).toBeUndefined();
    const { body } = await leases.ask('GET', `/api/v1/leases/${first.body.lease.id}`, rawKeys.admin);
    expect(body.lease).toMatchObject({ state: 'revoked', revokedBy: 'limit' });
    // A viewer's daily business: one token could fill the audit with it.
    expect(await auditRows()).toEqual([]);
    // No mark: the same token may create again.
    expect((await create(token, { contentId: 'film' })).status).toBe(201);
  });
});

describe('POST /keys/leases answers 200', () => {
  it('creating a lease for the same viewer, content and device renews the active one with 200, and drops its cached state', async () => {
    const token = leases.tokenOf('ann');
    const { body: first } = await create(token, { contentId: 'film', deviceId: 'tv' });
    await leases.authority.leases.load(first.lease.id);
    leases.clock.advance(60_000);
    await leases.pull();
    expect(leases.authority.leases.peek(first.lease.id)).toBeDefined();
    const { status, body } = await create(token, { contentId: 'film', deviceId: 'tv' });
    expect(status).toBe(200);
    expect(body.lease).toMatchObject({
      id: first.lease.id,
      renewedAt: '2026-01-01T00:01:00.000Z',
      expiresAt: '2026-01-01T00:06:00.000Z',
    });
    expect(leases.authority.leases.peek(first.lease.id)).toBeUndefined();
  });

  it('an expired lease of the same device is not reused', async () => {
    const token = leases.tokenOf('ann');
    await create(token, { contentId: 'film', deviceId: 'tv' });
    leases.clock.advance(300_000);
    expect((await create(token, { contentId: 'film', deviceId: 'tv' })).status).toBe(201);
  });

  it.each([undefined, null])(
    'each lease that is created with the deviceId %s is a new one and counts',
    async (deviceId) => {
      leases = await openLeasesOnSqlite({ rules: { maxPerViewer: 2 } });
      const token = leases.tokenOf('ann');
      const answers = [];
      for (let n = 0; n < 20; n++) answers.push(await create(token, { contentId: 'film', deviceId }));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, ...Array(18).fill(409)]);
    },
  );
});

describe('POST /keys/leases answers 400', () => {
  const bad: [string, object][] = [
    ['/contentId', {}],
    ['/contentId', { contentId: 'a/b' }],
    ['/contentId', { contentId: 'leases' }],
    ['/requestedTtlSeconds', { contentId: 'film', requestedTtlSeconds: 0 }],
    ['/requestedTtlSeconds', { contentId: 'film', requestedTtlSeconds: '5' }],
    ['/requestedTtlSeconds', { contentId: 'film', requestedTtlSeconds: 1.5 }],
    ['/requestedTtlSeconds', { contentId: 'film', requestedTtlSeconds: 2 ** 53 }],
    ['/deviceId', { contentId: 'film', deviceId: '' }],
    ['/deviceId', { contentId: 'film', deviceId: 'x'.repeat(201) }],
    ['/deviceId', { contentId: 'film', deviceId: 'a\u0000b' }],
    ['/viewerId', { contentId: 'film', viewerId: 'ann' }],
    ['/color', { contentId: 'film', color: 'red' }],
  ];
  it.each(bad)('creating a lease returns 400 that names %s for %o', async (path, body) => {
    const answer = await create(leases.tokenOf('ann'), body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
  });

  it.each([[undefined], [''], ['a\nb'], ['é'.repeat(513)]])(
    'creating a lease by an API key that names the viewer %j returns 400',
    async (viewerId) => {
      const answer = await create(rawKeys.admin, { contentId: 'film', viewerId });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: '/viewerId' }] } });
      expect(await auditRows()).toMatchObject([{ outcome: 'refused', code: 'VALIDATION_FAILED' }]);
    },
  );
});

describe('POST /keys/leases answers 401 and 403', () => {
  it('creating a lease checks the credential before the body', async () => {
    expect(await create(null, { nonsense: true })).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED' },
    });
  });

  it.each(['upload', 'playback'] as const)(
    'creating a lease returns 403 to an API key with scope %s',
    async (scope) => {
      const answer = await create(rawKeys[scope], { contentId: 'film', viewerId: 'ann' });
      expect(answer).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE' } });
    },
  );

  it('creating a lease returns 403 if the token names other contents, whether or not the content exists', async () => {
    const token = leases.tokenOf('ann', { content_ids: ['series'] });
    for (const contentId of ['film', 'unheard-of'])
      expect(await create(token, { contentId })).toMatchObject({
        status: 403,
        body: { code: 'CONTENT_NOT_ENTITLED' },
      });
    expect((await create(token, { contentId: 'series' })).status).toBe(201);
  });

  it.each([
    ['viewer', { viewerId: 'ann' }, ['film', 'series']],
    ['content', { contentId: 'film' }, ['film']],
    ['pair', { viewerId: 'ann', contentId: 'film' }, ['film']],
  ])(
    'creating a lease returns 403 to a token from before a revocation of its %s',
    async (_name, selector, closed) => {
      const token = leases.tokenOf('ann');
      await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, selector);
      for (const contentId of ['film', 'series']) {
        const code = closed.includes(contentId) ? 'TOKEN_REVOKED' : undefined;
        expect((await create(token, { contentId })).body.code).toBe(code);
      }
    },
  );

  it('an API key can create a lease for a viewer who was revoked', async () => {
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { viewerId: 'ann' });
    expect((await create(rawKeys.admin, { contentId: 'film', viewerId: 'ann' })).status).toBe(201);
  });
});

describe('POST /keys/leases answers 404 and 409', () => {
  it.each(['unheard-of', 'withdrawn'])(
    'creating a lease returns 404 if the content is %s',
    async (contentId) => {
      const answer = await create(leases.tokenOf('ann'), { contentId });
      expect(answer).toMatchObject({ status: 404, body: { code: 'CONTENT_NOT_FOUND' } });
    },
  );

  it('creating a lease returns 409 with the active leases of a viewer who has as many as allowed, and that is audited', async () => {
    leases = await openLeasesOnSqlite({ rules: { maxPerViewer: 1 } });
    const token = leases.tokenOf('ann');
    const { body: first } = await create(token, { contentId: 'film', deviceId: 'tv' });
    const answer = await create(token, { contentId: 'series' });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'LEASE_LIMIT_REACHED', leases: [first.lease] },
    });
    // It may share its account, and operators want to know: unlike other refusals of viewers, this one is audited.
    expect(await auditRows()).toEqual([
      {
        action: 'lease.create',
        target: 'viewer:ann content:series',
        outcome: 'refused',
        code: 'LEASE_LIMIT_REACHED',
      },
    ]);
    expect((await create(token, { contentId: 'film', deviceId: 'tv' })).status).toBe(200);
    expect((await create(token, { contentId: 'film' })).status).toBe(409);
    expect((await create(leases.tokenOf('bob'), { contentId: 'film' })).status).toBe(201);
    leases.clock.advance(300_000);
    expect((await create(token, { contentId: 'series' })).status).toBe(201);
  });
});
