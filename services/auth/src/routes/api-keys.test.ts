import { randomUUID } from 'node:crypto';
import { signToken } from '@latchkey/rig/tokens';
import { testTokenSecret } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from '../auth.fixture.ts';

const path = '/api/v1/api-keys';
const unknownId = '00000000-0000-4000-8000-000000000000';
const admin = { credential: testBootstrapKey };

let auth: AuthFixture;
beforeEach(async () => {
  auth = await startAuth();
});
afterEach(() => auth.close());

const statusOf = async (credential: string) => (await auth.ask('GET', path, { credential })).status;
const auditOf = (action: string) =>
  auth.host.db.selectFrom('audit').selectAll().where('action', '=', action).execute();
const viewerToken = () =>
  signToken(testTokenSecret, {
    sub: 'viewer',
    iat: auth.clock.now() / 1_000,
    exp: auth.clock.now() / 1_000 + 60,
  });

describe('creating an API key, 201', () => {
  it('creating an API key returns 201 with the key, without lastUsedAt, and the raw key', async () => {
    const answer = await auth.ask('POST', path, { ...admin, body: { name: ' Encoder ' } });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      api_key: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'Encoder',
        keyPrefix: answer.body.raw_key.slice(0, 11),
        scope: 'full',
        expiresAt: null,
        revokedAt: null,
        createdAt: '2026-01-01T00:00:00.000Z',
      },
      raw_key: expect.stringMatching(/^lk_[0-9a-f]{64}$/),
    });
  });

  it.each([
    ['2026-01-01T01:00:00.001+01:00', '2026-01-01T00:00:00.001Z'],
    ['2026-06-01', '2026-06-01T00:00:00.000Z'],
    [null, null],
  ])('creating an API key with the expiry %j shows %j', async (expiresAt, shown) => {
    const answer = await auth.ask('POST', path, { ...admin, body: { name: 'x', expiresAt } });
    expect(answer.body.api_key.expiresAt).toBe(shown);
  });

  it('the database has the hash of an API key and never the raw key', async () => {
    const { rawKey } = await auth.create();
    const rows = await auth.host.db.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(rawKey.slice(11));
  });

  it('a new API key works at once', async () => {
    const { rawKey } = await auth.create();
    expect(await statusOf(rawKey)).toBe(200);
  });

  it('an API key with scope full can create one with any scope, also admin', async () => {
    const { rawKey } = await auth.create({ scope: 'full' });
    for (const scope of ['admin', 'full', 'packager', 'upload', 'playback']) {
      const answer = await auth.ask('POST', path, { credential: rawKey, body: { name: 'x', scope } });
      expect([answer.status, answer.body.api_key.scope]).toEqual([201, scope]);
    }
  });

  it('creating an API key is in the audit with actor and target, and in the change feed, without the secret', async () => {
    const { id, rawKey } = await auth.create();
    expect(await auditOf('api-key.create')).toMatchObject([
      { outcome: 'done', code: null, target: id, actor_kind: 'bootstrap-key', client_ip: '127.0.0.1' },
    ]);
    const changes = await auth.host.db.selectFrom('changes').selectAll().execute();
    expect(changes).toHaveLength(1);
    expect(JSON.stringify([changes, await auditOf('api-key.create')])).not.toContain(rawKey);
  });
});

describe('creating an API key, 400', () => {
  it.each([
    [undefined, ''],
    [{}, '/name'],
    [{ name: 5 }, '/name'],
    [{ name: ' ' }, '/name'],
    [{ name: 'a\u0000b' }, '/name'],
    [{ name: 'x', scope: 'root' }, '/scope'],
    [{ name: 'x', scope: null }, '/scope'],
    [{ name: 'x', expiresAt: 1_800_000_000 }, '/expiresAt'],
    [{ name: 'x', expiresAt: 'tomorrow' }, '/expiresAt'],
    [{ name: 'x', expiresAt: '2026-02-30T00:00:00Z' }, '/expiresAt'],
    [{ name: 'x', expiresAt: '2026-01-01T00:00:00.000Z' }, '/expiresAt'],
    [{ name: 'x', expiresAt: '2025-12-31T23:59:59Z' }, '/expiresAt'],
    [{ name: 'x', admin: true }, '/admin'],
  ])(
    'creating an API key with %j returns 400, names the member, and creates nothing',
    async (body, member) => {
      const answer = await auth.ask('POST', path, { ...admin, ...(body === undefined ? {} : { body }) });
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(member);
      expect(await auth.host.db.selectFrom('api_keys').select('id').execute()).toEqual([]);
      expect(await auditOf('api-key.create')).toMatchObject([
        { outcome: 'refused', code: 'VALIDATION_FAILED' },
      ]);
    },
  );
});

describe('every management route, 401 and 403', () => {
  const routes = [
    ['POST', path, 'api-key.create'],
    ['GET', path, 'api-key.list'],
    ['DELETE', `${path}/${unknownId}`, 'api-key.revoke'],
    ['POST', `${path}/${unknownId}/rotate`, 'api-key.rotate'],
    ['GET', '/api/v1/audit', 'audit.list'],
    ['GET', '/api/v1/events', 'events.stream'],
    ['HEAD', '/api/v1/events', 'events.stream'],
  ] as const;

  it.each(routes)(
    '%s %s without a credential returns 401, and the refusal is audited',
    async (method, url, action) => {
      const answer = await auth.ask(method, url);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="latchkey"');
      expect(await auditOf(action)).toMatchObject([
        { outcome: 'refused', code: 'UNAUTHENTICATED', actor_kind: 'anonymous' },
      ]);
    },
  );

  it.each(routes)(
    '%s %s returns the same 401 for unknown, revoked and expired API keys',
    async (method, url) => {
      const revoked = await auth.create();
      await auth.ask('DELETE', `${path}/${revoked.id}`, admin);
      const expired = await auth.create({ expiresAt: new Date(auth.clock.now() + 1_000).toISOString() });
      auth.clock.advance(1_000);
      const answers = [];
      for (const credential of [`lk_${'0'.repeat(64)}`, revoked.rawKey, expired.rawKey, 'lk_short']) {
        const { status, body } = await auth.ask(method, url, { credential });
        answers.push({ status, ...body, requestId: '' });
      }
      expect(answers[0].status).toBe(401);
      if (method !== 'HEAD') expect(answers[0].code).toBe('INVALID_API_KEY');
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    },
  );

  it.each(routes)(
    '%s %s returns 403 to the scopes packager, upload and playback and to viewers, and the refusal is audited',
    async (method, url, action) => {
      const refused = [];
      for (const scope of ['packager', 'upload', 'playback'])
        refused.push((await auth.create({ scope })).rawKey);
      for (const credential of [...refused, viewerToken()]) {
        const answer = await auth.ask(method, url, { credential });
        expect(answer.status).toBe(403);
        expect(answer.headers['www-authenticate']).toBe(
          'Bearer realm="latchkey", error="insufficient_scope", scope="admin full"',
        );
      }
      const recorded = (await auditOf(action)).filter((row) => row.outcome === 'refused');
      expect(recorded.map((row) => row.code)).toEqual(Array(4).fill('INSUFFICIENT_SCOPE'));
    },
  );
});

describe('revoking an API key', () => {
  it('revoking an API key returns the key, which is refused from then on', async () => {
    const { id, rawKey, apiKey } = await auth.create();
    expect(await statusOf(rawKey)).toBe(200);
    auth.clock.advance(1_000);
    const answer = await auth.ask('DELETE', `${path}/${id}`, admin);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...apiKey, lastUsedAt: null, revokedAt: '2026-01-01T00:00:01.000Z' });
    expect(await statusOf(rawKey)).toBe(401);
  });

  it('revoking an API key accepts a request that announces JSON and has no body', async () => {
    const { id } = await auth.create();
    const headers = { 'content-type': 'application/json' };
    expect((await auth.ask('DELETE', `${path}/${id}`, { ...admin, headers })).status).toBe(200);
  });

  it('revoking an API key again keeps the first revokedAt and adds no change to the feed', async () => {
    const { id } = await auth.create();
    const first = await auth.ask('DELETE', `${path}/${id}`, admin);
    auth.clock.advance(5_000);
    const again = await auth.ask('DELETE', `${path}/${id.toUpperCase()}`, admin);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await auditOf('api-key.revoke')).toHaveLength(2);
    expect(await auth.host.db.selectFrom('changes').select('number').execute()).toHaveLength(2);
  });

  it.each([unknownId, 'nonsense', '%00', 'a'.repeat(300)])(
    'revoking the API key %s returns 404',
    async (id) => {
      const answer = await auth.ask('DELETE', `${path}/${id}`, admin);
      expect([answer.status, answer.code]).toEqual([404, 'API_KEY_NOT_FOUND']);
      expect(await auditOf('api-key.revoke')).toMatchObject([
        { outcome: 'refused', code: 'API_KEY_NOT_FOUND' },
      ]);
    },
  );
});

describe('an act that fails', () => {
  it('a creation of an API key that fails leaves no key, no audit row and no change', async () => {
    const id = randomUUID();
    const clumsy = await startAuth({ randomId: () => id });
    await clumsy.create();
    const countRows = async () =>
      Promise.all(
        (['api_keys', 'audit', 'changes'] as const).map(
          async (table) => (await clumsy.host.db.selectFrom(table).selectAll().execute()).length,
        ),
      );
    expect(await countRows()).toEqual([1, 1, 1]);
    const answer = await clumsy.ask('POST', path, { ...admin, body: { name: 'same id' } });
    expect([answer.status, answer.code]).toEqual([500, 'INTERNAL']);
    expect(await countRows()).toEqual([1, 1, 1]);
    await clumsy.close();
  });
});
