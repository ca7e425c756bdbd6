import { signToken } from '@latchkey/rig/tokens';
import { testTokenSecret } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from '../auth.fixture.ts';

const path = '/api/v1/api-keys';
const admin = { credential: testBootstrapKey };

let auth: AuthFixture;
beforeEach(async () => {
  auth = await startAuth();
});
afterEach(() => auth.close());

const statusOf = async (credential: string) => (await auth.ask('GET', path, { credential })).status;
const viewerToken = () =>
  signToken(testTokenSecret, {
    sub: 'viewer',
    iat: auth.clock.now() / 1_000,
    exp: auth.clock.now() / 1_000 + 60,
  });

describe('the list of API keys', () => {
  it('the list of API keys is newest first, with lastUsedAt, in pages without a gap', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      ids.unshift((await auth.create({ name: `key ${n}` })).id);
      auth.clock.advance(1);
    }
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 3; pages++) {
      const { body } = await auth.ask('GET', `${path}?limit=2${cursor}`, admin);
      for (const key of body.api_keys) {
        seen.push(key.id);
        expect(Object.keys(key).sort()).toEqual([
          'createdAt',
          'expiresAt',
          'id',
          'keyPrefix',
          'lastUsedAt',
          'name',
          'revokedAt',
          'scope',
        ]);
      }
      cursor = `&cursor=${body.next_cursor}`;
      if (pages === 2) expect(body.next_cursor).toBeNull();
    }
    expect(seen).toEqual(ids);
  });

  it('the list of API keys shows when a key was last used, once that is written', async () => {
    const { rawKey } = await auth.create();
    auth.clock.advance(1_000);
    await statusOf(rawKey);
    const lastUsedAt = async () => (await auth.ask('GET', path, admin)).body.api_keys[0].lastUsedAt;
    expect(await lastUsedAt()).toBeNull();
    await auth.verifier.flush();
    expect(await lastUsedAt()).toBe('2026-01-01T00:00:01.000Z');
  });

  it('closing the server writes the uses of API keys that were noted', async () => {
    const { rawKey } = await auth.create();
    await statusOf(rawKey);
    await auth.host.app.close();
    const row = await auth.host.db.selectFrom('api_keys').select('last_used_at').executeTakeFirst();
    expect(row?.last_used_at).toBe(auth.clock.now());
  });

  it.each(['limit=0', 'limit=501', 'limit=x', 'cursor=!', 'offset=1'])(
    'the list of API keys returns 400 for ?%s',
    async (query) => {
      const answer = await auth.ask('GET', `${path}?${query}`, admin);
      expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
    },
  );
});

describe('the API key of the caller', () => {
  it.each(['admin', 'full', 'upload', 'playback'])(
    'an API key with scope %s can read itself',
    async (scope) => {
      const { rawKey, apiKey } = await auth.create({ scope });
      const answer = await auth.ask('GET', `${path}/current`, { credential: rawKey });
      expect([answer.status, answer.body]).toEqual([200, { api_key: { ...apiKey, lastUsedAt: null } }]);
    },
  );

  it('the bootstrap key can read itself, and has no id', async () => {
    const { body } = await auth.ask('GET', `${path}/current`, admin);
    expect(body).toEqual({ api_key: { scope: 'admin', name: 'bootstrap', id: null } });
  });

  it('the current API key is refused to viewers and to callers without a credential', async () => {
    expect((await auth.ask('GET', `${path}/current`, { credential: viewerToken() })).status).toBe(403);
    expect((await auth.ask('GET', `${path}/current`)).status).toBe(401);
  });
});
