import { eventually } from '@latchkey/support/black-box/eventually';
import { createApiKey, createBriefApiKey, revokeApiKey } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { describe, expect, it, vi } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;
const path = '/api/v1/api-keys';
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

it('a new API key has the documented form and no lastUsedAt, and its raw key is shown only once', async () => {
  const name = unique('name');
  const { status, json } = await client.post(path, admin, { name, scope: 'upload', expiresAt: inAnHour() });
  expect(status).toBe(201);
  expect(json.raw_key).toMatch(/^lk_[0-9a-f]{64}$/);
  expect(json.api_key).toMatchObject({ name, scope: 'upload', revokedAt: null });
  expect(json.api_key.keyPrefix).toBe(json.raw_key.slice(0, 11));
  expect(json.api_key).not.toHaveProperty('lastUsedAt');
  const list = await client.get(`${path}?q=${name}`, admin);
  expect(list.bytes.toString()).not.toContain(json.raw_key);
  expect(list.json.api_keys.find(({ id }: { id: string }) => id === json.api_key.id)).toHaveProperty(
    'lastUsedAt',
  );
});

it('an API key that is created without a scope has the scope full', async () => {
  const { json } = await client.post(path, admin, { name: 'x' });
  expect(json.api_key).toMatchObject({ scope: 'full', expiresAt: null });
});

it.each([
  ['2099-01-01T02:00:00.001+02:00', '2099-01-01T00:00:00.001Z'],
  ['2099-06-01', '2099-06-01T00:00:00.000Z'],
  [null, null],
])('the expiry %j is accepted, and returned in UTC with milliseconds', async (expiresAt, shown) => {
  const { json } = await client.post(path, admin, { name: 'x', expiresAt });
  expect(json.api_key.expiresAt).toBe(shown);
});

it('an API key with the scope full may create one with any scope, also admin', async () => {
  const { raw } = await createApiKey(target, 'full');
  for (const scope of ['admin', 'full', 'packager', 'upload', 'playback']) {
    const { status, json } = await client.post(path, raw, { name: 'x', scope });
    expect([status, json.api_key.scope]).toEqual([201, scope]);
  }
});

it('revoking an API key answers with the key, and revoking it again keeps its revokedAt', async () => {
  const { id, raw } = await createApiKey(target, 'full');
  const first = await client.call('DELETE', `${path}/${id}`, { as: admin });
  expect(first.json).toMatchObject({ id, revokedAt: expect.stringMatching(/Z$/) });
  const again = await client.call('DELETE', `${path}/${id.toUpperCase()}`, { as: admin });
  expect([again.status, again.json.revokedAt]).toEqual([200, first.json.revokedAt]);
  expect((await client.get(`${path}/current`, raw)).code).toBe('INVALID_API_KEY');
});

it('GET /api/v1/api-keys/current describes the key of the request, with any scope', async () => {
  for (const scope of ['admin', 'full', 'packager', 'upload', 'playback']) {
    const { id, raw } = await createApiKey(target, scope);
    const { json } = await client.get(`${path}/current`, raw);
    expect(json.api_key).toMatchObject({ id, scope, keyPrefix: raw.slice(0, 11) });
  }
});

it('GET /api/v1/api-keys/current describes the bootstrap key', async () => {
  const { json } = await client.get(`${path}/current`, admin);
  expect(json).toEqual({ api_key: { scope: 'admin', name: 'bootstrap', id: null } });
});

it('an API key may revoke itself', async () => {
  const { id, raw } = await createApiKey(target, 'admin');
  expect((await client.call('DELETE', `${path}/${id}`, { as: raw })).status).toBe(200);
  expect((await client.call('DELETE', `${path}/${id}`, { as: raw })).code).toBe('INVALID_API_KEY');
});

it('rotation creates a key with the same name, scope and expiry, and ends the old one at once', async () => {
  const expiresAt = inAnHour();
  const { id, raw } = await createApiKey(target, 'playback', { expiresAt });
  const { status, json } = await client.post(`${path}/${id}/rotate`, admin);
  expect(status).toBe(201);
  const { name } = json.previous;
  expect(json.api_key).toMatchObject({ name, scope: 'playback', expiresAt, revokedAt: null });
  expect(json.api_key.id).not.toBe(id);
  expect(json.previous).toMatchObject({ id, revokedAt: expect.any(String) });
  expect((await client.get(`${path}/current`, raw)).code).toBe('INVALID_API_KEY');
  expect((await client.get(`${path}/current`, json.raw_key)).status).toBe(200);
});

it('both keys of a rotation work during the overlap', async () => {
  const { id, raw } = await createApiKey(target, 'playback');
  const { json } = await client.post(`${path}/${id}/rotate`, admin, { overlapSeconds: 600 });
  expect((await client.get(`${path}/current`, raw)).status).toBe(200);
  expect((await client.get(`${path}/current`, json.raw_key)).status).toBe(200);
  const left = Date.parse(json.previous.expiresAt) - Date.now();
  expect(left).toBeGreaterThan(500_000);
  expect(left).toBeLessThanOrEqual(600_000);
});

it.each([
  ...[-1, 1.5, 2_592_001, '5', null].map((overlapSeconds) => ({ overlapSeconds })),
  ...[{ x: 1 }, []],
])('a rotation with the body %j gets 400', async (body) => {
  const { id } = await createApiKey(target, 'playback');
  expect((await client.post(`${path}/${id}/rotate`, admin, body)).status).toBe(400);
});

it('rotating an unknown, revoked or malformed API key gets 404 API_KEY_NOT_FOUND', async () => {
  const revoked = await createApiKey(target, 'full');
  await revokeApiKey(target, revoked.id);
  for (const id of [crypto.randomUUID(), revoked.id, 'nonsense', '%00'])
    expect((await client.post(`${path}/${id}/rotate`, admin)).code).toBe('API_KEY_NOT_FOUND');
});

it('rotation and revocation accept a request that announces JSON and has no body', async () => {
  const { id } = await createApiKey(target, 'full');
  const options = { as: admin, headers: { 'content-type': 'application/json' } };
  const rotated = await client.call('POST', `${path}/${id}/rotate`, options);
  expect(rotated.status).toBe(201);
  const { id: newId } = rotated.json.api_key;
  expect((await client.call('DELETE', `${path}/${newId}`, options)).status).toBe(200);
});

it.each([undefined, { name: 'x', scope: null }])('an API key of the body %j gets 400', async (body) => {
  expect((await client.post(path, admin, body)).status).toBe(400);
});

it.each([
  '2020-01-01T00:00:00Z',
  'tomorrow',
  '',
  '2099-13-01T00:00:00Z',
  '2099-02-30T00:00:00Z',
  4_102_444_800,
])('an API key with the expiry %j gets 400 and names /expiresAt', async (expiresAt) => {
  const answer = await client.post(path, admin, { name: 'x', expiresAt });
  expect([answer.status, answer.json.errors[0].path]).toEqual([400, '/expiresAt']);
});

it('a revoked API key gets the same 401 as an unknown one', async () => {
  const { id, raw } = await createApiKey(target, 'full');
  await revokeApiKey(target, id);
  const [revoked, unknown] = [await client.get(path, raw), await client.get(path, `lk_${'0'.repeat(64)}`)];
  expect({ ...revoked.json, requestId: '' }).toEqual({ ...unknown.json, requestId: '' });
});

it.each(['LK_', 'lk_ABCDEF', `lk_${'A'.repeat(64)}`, `lk_${'0'.repeat(63)}`, `lk_${'0'.repeat(65)}`])(
  'the credential %s is not an API key and gets 401 INVALID_API_KEY',
  async (credential) => expect((await client.get(path, credential)).code).toBe('INVALID_API_KEY'),
);

it.each(['Basic YTpi', 'Bearer', 'lk_', 'Bearer  '])(
  'the header Authorization: %s has no credential and gets 401 UNAUTHENTICATED',
  async (value) => {
    const answer = await client.call('GET', path, { headers: { authorization: value } });
    expect([answer.status, answer.code]).toEqual([401, 'UNAUTHENTICATED']);
  },
);

// At the same time, because each waits for seconds.
describe.concurrent('what comes with time', () => {
  it('lastUsedAt of an API key is at most a minute late', async () => {
    const name = unique('used');
    const { raw } = await createApiKey(target, 'playback', { name });
    const beforeMs = Date.now();
    await client.get(`${path}/current`, raw);
    const lastUsedAt = async () => {
      const { json } = await client.get(`${path}?q=${name}`, admin);
      return json.api_keys[0].lastUsedAt;
    };
    await vi.waitFor(async () => expect(await lastUsedAt()).not.toBeNull(), {
      timeout: 60_000,
      interval: 500,
    });
    const used = Date.parse(await lastUsedAt());
    expect(used).toBeGreaterThanOrEqual(beforeMs);
    expect(used).toBeLessThanOrEqual(Date.now());
  });

  it('the old key of a rotation ends after the overlap', async () => {
    const { id, raw } = await createApiKey(target, 'playback');
    await client.post(`${path}/${id}/rotate`, admin, { overlapSeconds: 1 });
    await eventually(async () =>
      expect((await client.get(`${path}/current`, raw)).code).toBe('INVALID_API_KEY'),
    );
  });

  it('an expired API key gets the same 401 as an unknown one', async () => {
    const { raw } = await createBriefApiKey(target, 'full');
    const unknown = await client.get(path, `lk_${'0'.repeat(64)}`);
    expect(unknown.code).toBe('INVALID_API_KEY');
    await eventually(async () => {
      const expired = await client.get(path, raw);
      expect({ ...expired.json, requestId: '' }).toEqual({ ...unknown.json, requestId: '' });
    });
  });
});

it.each([crypto.randomUUID(), 'nonsense', '1', '%00', 'x'.repeat(500)])(
  'deleting the unknown API key %s gets 404 API_KEY_NOT_FOUND',
  async (id) => {
    const answer = await client.call('DELETE', `${path}/${id}`, { as: admin });
    expect([answer.status, answer.code]).toEqual([404, 'API_KEY_NOT_FOUND']);
  },
);

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const word = unique('workshop');
const soon = await createApiKey(target, 'upload', { name: `${word} soon`, expiresAt: inDays(13) });
const later = await createApiKey(target, 'full', { name: `${word} later`, expiresAt: inDays(15) });
const never = await createApiKey(target, 'admin', { name: `${word.toUpperCase()} never` });
const revoked = await createApiKey(target, 'full', { name: `${word} revoked` });
await revokeApiKey(target, revoked.id);

const ids = async (query: string) => {
  const { json } = await client.get(`${path}?q=${word}&${query}`, admin);
  return json.api_keys.map(({ id }: { id: string }) => id);
};

it.each([
  ['limit=500', [revoked, never, later, soon]],
  ['status=active', [never, later, soon]],
  ['status=revoked', [revoked]],
  ['status=expired', []],
  ['scope=admin', [never]],
  ['expires=never', [revoked, never]],
  ['expires=never&status=active', [never]],
  ['expires=within-14-days', [soon]],
  ['unusedDays=1', []],
])('API keys are found by a part of their name and %s', async (query, keys) => {
  expect(await ids(query)).toEqual(keys.map(({ id }) => id));
});

it('API keys are found by the beginning of the raw key', async () => {
  const { json } = await client.get(`${path}?q=${soon.raw.slice(0, 11)}`, admin);
  expect(json.api_keys.map(({ id }: { id: string }) => id)).toContain(soon.id);
});

it.each(['status=gone', 'scope=root', 'expires=soon', 'unusedDays=0', 'unusedDays=1.5', 'q=%00', 'offset=1'])(
  'the list of API keys refuses the filter %s',
  async (query) => {
    expect((await client.get(`${path}?${query}`, admin)).code).toBe('VALIDATION_FAILED');
  },
);
