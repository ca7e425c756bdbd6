import { afterEach, beforeEach, expect, test } from 'vitest';
import { generateApiKey, hashCredential } from '../auth/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { createTestHost, type TestHost } from '../testing/test-host.ts';
import { addGuard } from './guard.ts';
import { addRefusalAudit } from './refusal-audit.ts';

const key = generateApiKey(() => Buffer.alloc(32, 7));
let database: TestDatabase;
let host: TestHost;
let handled: number;

beforeEach(async () => {
  const [sqlite] = databaseKinds({});
  database = (await sqlite?.open()) as TestDatabase;
  handled = 0;
  const state = { id: 'k-1', name: 'n', scope: 'playback' as const, expiresAt: null, revokedAt: null };
  host = await createTestHost({
    db: database.db,
    clock: createManualClock(),
    verifier: {
      findApiKey: async (hash) => (hash === hashCredential(key) ? state : null),
      noteUse: () => {},
    },
    contents: { findContent: async () => null },
    leases: { findLease: async () => null, findMark: async () => null },
  });
});
afterEach(async () => {
  await host.app.close();
  await database.close();
});

async function mount() {
  await host.app.register(async (app) => {
    addGuard(app, { authenticator: host.authenticator, limiter: null });
    addRefusalAudit(app, host.refusals);
    const handle = async () => ({ handled: ++handled });
    app.get('/info/:id', { config: { access: 'key-info', action: 'thing.info' } }, handle);
    app.post('/manage/:id', { config: { access: 'manage', action: 'thing.change' } }, handle);
  });
}

test('a route that names no row of the scope table cannot be mounted', async () => {
  const mounting = host.app.register(async (app) => {
    addGuard(app, { authenticator: host.authenticator, limiter: null });
    app.get('/forgotten', async () => ({}));
  });
  await expect(mounting).rejects.toThrow('names no row of the scope table');
});

test('a refused caller is answered before its body is read', async () => {
  await mount();
  const post = async (credential: object) => {
    const headers = { 'content-type': 'application/json', ...credential };
    return (await host.app.inject({ method: 'POST', url: '/manage/a', headers, payload: '{' })).statusCode;
  };
  expect(await post({})).toBe(401);
  expect(await post({ authorization: `Bearer ${key}` })).toBe(403);
  expect(handled).toBe(0);
});

test('a request for key info without a credential leaves no audit row, and one with a wrong password does', async () => {
  await mount();
  expect((await host.app.inject('/info/film')).json().code).toBe('UNAUTHENTICATED');
  const headers = { authorization: `Basic ${Buffer.from('x:lk_wrong').toString('base64')}` };
  await host.app.inject({ url: '/info/film', headers });
  const rows = await database.db.selectFrom('audit').select(['action', 'code']).execute();
  expect(rows).toEqual([{ action: 'thing.info', code: 'INVALID_API_KEY' }]);
});
