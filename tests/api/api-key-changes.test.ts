import { eventually } from '@latchkey/support/black-box/eventually';
import { createApiKey, registerContent, revokeApiKey } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { describe, expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;
const path = '/api/v1/api-keys';
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const change = (id: string, body: object, as = admin) =>
  client.call('PATCH', `${path}/${id}`, { as, json: body });

it('one API key is read by its id, also a revoked one', async () => {
  const metadata = { team: 'Ünï "🎬"', 'ticket.id': 'OPS-1' };
  const { id, raw } = await createApiKey(target, 'upload', { metadata });
  const { json } = await client.get(`${path}/${id.toUpperCase()}`, admin);
  expect(json.api_key).toMatchObject({ id, scope: 'upload', metadata, lastUsedAt: null, revokedAt: null });
  await revokeApiKey(target, id);
  const revoked = await client.get(`${path}/${id}`, admin);
  expect(revoked.json.api_key).toMatchObject({ id, metadata, revokedAt: expect.any(String) });
  expect(revoked.bytes.toString()).not.toContain(raw);
  for (const unknown of [crypto.randomUUID(), 'nonsense', '%00'])
    expect((await client.get(`${path}/${unknown}`, admin)).code).toBe('API_KEY_NOT_FOUND');
});

it('PATCH changes the name, the expiry and the metadata of an API key, and leaves what is not given', async () => {
  const { id, raw } = await createApiKey(target, 'full', { metadata: { team: 'a', ticket: '1' } });
  const expiresAt = inAnHour();
  const changed = await change(id, { name: ' Renamed ', expiresAt });
  expect([changed.status, changed.json.api_key]).toMatchObject([
    200,
    { id, name: 'Renamed', expiresAt, scope: 'full', metadata: { team: 'a', ticket: '1' } },
  ]);
  await change(id, { metadata: { team: 'b' }, expiresAt: null }, raw);
  const { json } = await client.get(`${path}/${id}`, admin);
  expect(json.api_key).toMatchObject({ name: 'Renamed', expiresAt: null, metadata: { team: 'b' } });
  const rotated = await client.post(`${path}/${id}/rotate`, admin);
  expect(rotated.json.api_key.metadata).toEqual({ team: 'b' });
});

const texts = (count: number, length = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'é'.repeat(length)]));

it('metadata of an API key has at most 20 texts of 200 characters, and names of 40', async () => {
  const { id } = await createApiKey(target, 'playback');
  const most = { ...texts(19, 200), ['x'.repeat(40)]: '🎬'.repeat(200) };
  expect((await change(id, { metadata: most })).json.api_key.metadata).toEqual(most);
  for (const metadata of [
    ...[texts(21), texts(1, 201), { ['x'.repeat(41)]: '' }, { '': 'x' }, { '1a': 'x' }, { 'a b': 'x' }],
    ...[
      { a: 'b\u0000' },
      { a: '\ud800' },
      { a: 1 },
      { a: null },
      { a: { b: 'c' } },
      { a: ['b'] },
      [],
      'x',
      null,
    ],
  ])
    for (const answer of [
      await change(id, { metadata }),
      await client.post(path, admin, { name: 'x', metadata }),
    ])
      expect([metadata, answer.status]).toEqual([metadata, 400]);
});

it('a credential in the metadata of an API key is hidden', async () => {
  const { id } = await createApiKey(target, 'playback', { metadata: { note: `lk_${'a'.repeat(64)}` } });
  const { bytes } = await client.get(`${path}/${id}`, admin);
  expect(bytes.toString()).not.toContain('a'.repeat(64));
});

it.each([
  {},
  { scope: 'admin' },
  { name: 'x', scope: 'full' },
  { name: '' },
  { expiresAt: '2020-01-01T00:00:00Z' },
  { expiresAt: 'tomorrow' },
  { revokedAt: null },
])('PATCH of an API key with the body %j gets 400', async (body) => {
  const { id } = await createApiKey(target, 'playback');
  expect((await change(id, body)).status).toBe(400);
});

it('PATCH of an unknown, malformed or revoked API key gets 404 API_KEY_NOT_FOUND', async () => {
  const revoked = await createApiKey(target, 'full');
  await revokeApiKey(target, revoked.id);
  for (const id of [crypto.randomUUID(), 'nonsense', '%00', revoked.id])
    expect((await change(id, { expiresAt: null })).code).toBe('API_KEY_NOT_FOUND');
});

// At the same time, because each waits for seconds.
describe.concurrent('what comes with time', () => {
  it('a shorter expiry of an API key in use ends it for content keys, and a later one does not bring it back', async () => {
    const content = await registerContent(target);
    const { id, raw } = await createApiKey(target, 'playback');
    const read = () => client.get(`/keys/${content}`, raw);
    // Every replica knows the key without an expiry.
    for (let at = 0; at < 12; at++) expect((await read()).status).toBe(200);
    await eventually(async () => {
      const expiresAt = new Date(Date.now() + 3_000).toISOString();
      expect((await change(id, { expiresAt })).status).toBe(200);
    });
    await eventually(async () => expect((await read()).code).toBe('INVALID_API_KEY'));
    for (let at = 0; at < 12; at++) expect((await read()).code).toBe('INVALID_API_KEY');
    expect((await change(id, { expiresAt: null })).code).toBe('API_KEY_NOT_FOUND');
  });

  it('a later expiry of an API key in use lets it go on after the earlier one', async () => {
    const content = await registerContent(target);
    const expiresAt = new Date(Date.now() + 6_000).toISOString();
    const { id, raw } = await createApiKey(target, 'playback', { expiresAt });
    const read = () => client.get(`/keys/${content}`, raw);
    for (let at = 0; at < 12; at++) expect((await read()).status).toBe(200);
    expect((await change(id, { expiresAt: null })).status).toBe(200);
    await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(expiresAt) + 1_000));
    for (let at = 0; at < 12; at++) expect((await read()).status).toBe(200);
  });
});
