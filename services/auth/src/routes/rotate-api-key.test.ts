import { databaseKinds } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from '../auth.fixture.ts';

const admin = { credential: testBootstrapKey };
const unknownId = '00000000-0000-4000-8000-000000000000';

describe.each(databaseKinds(process.env))('rotating an API key on $name', (kind) => {
  let auth: AuthFixture;
  beforeEach(async () => {
    auth = await startAuth({ kind });
  });
  afterEach(() => auth.close());

  const rotate = (id: string, body?: unknown) =>
    auth.ask('POST', `/api/v1/api-keys/${id}/rotate`, { ...admin, ...(body === undefined ? {} : { body }) });
  const works = async (credential: string) =>
    (await auth.ask('GET', '/api/v1/api-keys/current', { credential })).status === 200;

  it('rotating an API key returns a new one with the same name, scope and expiry, and revokes the old one at once', async () => {
    const expiresAt = '2026-03-01T00:00:00.000Z';
    const old = await auth.create({ name: 'encoder', scope: 'upload', expiresAt });
    auth.clock.advance(1_000);
    const { status, body } = await rotate(old.id);
    expect(status).toBe(201);
    expect(body.api_key).toMatchObject({ name: 'encoder', scope: 'upload', expiresAt, revokedAt: null });
    expect(body.api_key).not.toHaveProperty('lastUsedAt');
    expect(body.api_key.id).not.toBe(old.id);
    expect(body.previous).toEqual({ ...old.apiKey, lastUsedAt: null, revokedAt: '2026-01-01T00:00:01.000Z' });
    expect([await works(old.rawKey), await works(body.raw_key)]).toEqual([false, true]);
  });

  it('a rotated API key works until the end of the overlap and not a millisecond longer', async () => {
    const old = await auth.create();
    const { body } = await rotate(old.id, { overlapSeconds: 60 });
    expect(body.previous).toMatchObject({ revokedAt: null, expiresAt: '2026-01-01T00:01:00.000Z' });
    expect(body.api_key.expiresAt).toBeNull();
    auth.clock.advance(59_999);
    expect(await works(old.rawKey)).toBe(true);
    auth.clock.advance(1);
    expect([await works(old.rawKey), await works(body.raw_key)]).toEqual([false, true]);
  });

  it('the overlap of a rotated API key never extends its own expiry', async () => {
    const expiresAt = '2026-01-01T00:00:10.000Z';
    const old = await auth.create({ expiresAt });
    const { body } = await rotate(old.id, { overlapSeconds: 2_592_000 });
    expect(body.previous.expiresAt).toBe(expiresAt);
  });

  it('rotating a revoked, expired, unknown or malformed API key returns 404', async () => {
    const revoked = await auth.create();
    await auth.ask('DELETE', `/api/v1/api-keys/${revoked.id}`, admin);
    const expired = await auth.create({ expiresAt: '2026-01-01T00:00:01.000Z' });
    auth.clock.advance(1_000);
    for (const id of [revoked.id, expired.id, unknownId, 'nonsense', '%00']) {
      const { status, code } = await rotate(id);
      expect([status, code]).toEqual([404, 'API_KEY_NOT_FOUND']);
    }
  });

  it.each([
    [{ overlapSeconds: -1 }],
    [{ overlapSeconds: 2_592_001 }],
    [{ overlapSeconds: '5' }],
    [{ overlapSeconds: 0.5 }],
    [{ x: 1 }],
    [[]],
  ])('rotating an API key with the body %j returns 400', async (body) => {
    const old = await auth.create();
    expect((await rotate(old.id, body)).status).toBe(400);
    expect(await works(old.rawKey)).toBe(true);
  });

  it('rotating an API key accepts a request that announces JSON and has no body', async () => {
    const { id } = await auth.create();
    const headers = { 'content-type': 'application/json' };
    expect((await auth.ask('POST', `/api/v1/api-keys/${id}/rotate`, { ...admin, headers })).status).toBe(201);
  });

  it('rotating an API key is one audit row, on the old key, and two changes in the feed', async () => {
    const { id } = await auth.create();
    await rotate(id);
    const acts = await auth.host.db
      .selectFrom('audit')
      .select(['target', 'outcome'])
      .where('action', '=', 'api-key.rotate')
      .execute();
    expect(acts).toEqual([{ target: id, outcome: 'done' }]);
    expect(await auth.host.db.selectFrom('changes').select('number').execute()).toHaveLength(3);
  });
});
