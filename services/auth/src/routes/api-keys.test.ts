import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type AuthFixture, startAuth, testBootstrapKey } from '../auth.fixture.ts';

const path = '/api/v1/api-keys';
const admin = { credential: testBootstrapKey };

let auth: AuthFixture;
let ids: string[];
beforeEach(async () => {
  ids = [];
  auth = await startAuth({ randomId: () => ids.shift() ?? randomUUID() });
});
afterEach(() => auth.close());

const tables = ['api_keys', 'audit', 'changes', 'auth_idempotency_keys'] as const;
const countRows = (table: (typeof tables)[number]) =>
  auth.host.db
    .selectFrom(table)
    .selectAll()
    .execute()
    .then(({ length }) => length);
const countAll = () => Promise.all(tables.map(countRows));

it('the database has the hash of an API key and never the raw key, and no answer or notice has the hash', async () => {
  const notices: unknown[] = [];
  auth.host.bus.subscribe((message) => void ('notice' in message && notices.push(message)));
  const { rawKey } = await auth.create();
  const row = await auth.host.db.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toContain(rawKey.slice(11));
  const { body } = await auth.ask('GET', path, admin);
  expect(notices).not.toEqual([]);
  expect(JSON.stringify([body, notices])).not.toContain(row.key_hash);
});

it('the answers that are kept for an Idempotency-Key have neither a raw key nor the secret of a webhook', async () => {
  const headers = { 'idempotency-key': 'key-of-a-test' };
  const ask = (url: string, body: object) => auth.ask('POST', url, { ...admin, body, headers });
  const { raw_key: rawKey } = (await ask(path, { name: 'x' })).body;
  const hook = { name: 'x', url: 'https://hooks.example.com', events: ['lease.revoked'] };
  const { secret } = (await ask('/api/v1/webhooks', hook)).body;
  const rows = await auth.host.db.selectFrom('auth_idempotency_keys').selectAll().execute();
  expect(rows).toHaveLength(2);
  for (const text of [rawKey.slice(11), secret, testBootstrapKey, headers['idempotency-key']])
    expect(JSON.stringify(rows)).not.toContain(text);
});

it('an API key cannot expire in the millisecond in which it is created, and can in the next one', async () => {
  const create = async (ms: number) => {
    const expiresAt = new Date(auth.clock.now() + ms).toISOString();
    return (await auth.ask('POST', path, { ...admin, body: { name: 'x', expiresAt } })).status;
  };
  expect([await create(0), await create(1)]).toEqual([400, 201]);
});

it('an API key that has expired cannot be rotated', async () => {
  const { id } = await auth.create({ expiresAt: '2026-01-01T00:00:01.000Z' });
  auth.clock.advance(1_000);
  expect((await auth.ask('POST', `${path}/${id}/rotate`, admin)).code).toBe('API_KEY_NOT_FOUND');
});

it('revoking an API key again is in the audit, and adds no change to the feed', async () => {
  const { id } = await auth.create();
  await auth.ask('DELETE', `${path}/${id}`, admin);
  expect(await countAll()).toEqual([1, 2, 2, 0]);
  await auth.ask('DELETE', `${path}/${id}`, admin);
  expect(await countAll()).toEqual([1, 3, 2, 0]);
});

it('a creation of an API key that fails leaves no key, no audit row, no change and no kept answer', async () => {
  const { id } = await auth.create();
  expect(await countAll()).toEqual([1, 1, 1, 0]);
  ids = [id];
  const headers = { 'idempotency-key': 'key-of-a-test' };
  const answer = await auth.ask('POST', path, { ...admin, body: { name: 'same id' }, headers });
  expect([answer.status, answer.code]).toEqual([500, 'INTERNAL']);
  expect(await countAll()).toEqual([1, 1, 1, 0]);
});

it('closing the server writes the uses of API keys that were noted', async () => {
  const { rawKey } = await auth.create();
  await auth.ask('GET', path, { credential: rawKey });
  await auth.host.app.close();
  const row = await auth.host.db.selectFrom('api_keys').select('last_used_at').executeTakeFirst();
  expect(row?.last_used_at).toBe(auth.clock.now());
});
