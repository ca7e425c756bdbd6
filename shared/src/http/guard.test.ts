import { randomBytes } from 'node:crypto';
import { signToken } from '@latchkey/rig/tokens';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeyCredentials, generateApiKey, hashCredential, type KeyCredentials } from '../auth/index.ts';
import { formatSid } from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { createTestHost, type TestHost, testTokenSecret } from '../testing/test-host.ts';
import { addGuard } from './guard.ts';
import { addRefusalAudit } from './refusal-audit.ts';

const key = generateApiKey(() => Buffer.alloc(32, 7));
let database: TestDatabase;
let host: TestHost;
let handled: number;
let clock: ManualClock;
let keyCredentials: KeyCredentials;

beforeEach(async () => {
  const [sqlite] = databaseKinds({});
  database = (await sqlite?.open()) as TestDatabase;
  handled = 0;
  clock = createManualClock();
  keyCredentials = createKeyCredentials({ secrets: () => ['of tests'], clock, randomBytes });
  const state = { id: 'k-1', name: 'n', scope: 'playback' as const, expiresAt: null, revokedAt: null };
  host = await createTestHost({
    db: database.db,
    clock,
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

const sid = formatSid('5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11', Buffer.alloc(16, 1));

test('a session in the query identifies its holder on key routes alone, and a malformed one is 401 INVALID_SESSION', async () => {
  await mount();
  const get = async (url: string, headers = {}) => host.app.inject({ url, headers });
  expect((await get(`/keys/film/0?s=${sid}`)).statusCode).toBe(200);
  for (const wrong of ['', sid.slice(1), `${sid}A`, `${sid}&s=${sid}`, sid.replace(/.$/, 'B')]) {
    const answer = await get(`/keys/film/0?s=${wrong}`);
    expect([answer.statusCode, answer.json().code], wrong).toEqual([401, 'INVALID_SESSION']);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
  }
  expect((await get(`/info/film?s=${sid}`)).json().code).toBe('UNAUTHENTICATED');
});

test('Authorization takes precedence over a session in the query', async () => {
  await mount();
  const get = async (authorization: string) =>
    host.app.inject({ url: `/keys/film/0?s=${sid}`, headers: { authorization } });
  expect((await get('Bearer rubbish')).json().code).toBe('INVALID_TOKEN');
  expect((await get(`Bearer ${key}`)).statusCode).toBe(200);
});

async function mount(sources?: readonly ('header' | 'query' | 'cookie')[], limited = false) {
  await host.app.register(async (app) => {
    const limiter = limited
      ? async () => {
          throw new AppError('RATE_LIMITED', { retryAfterSeconds: 7 });
        }
      : null;
    addGuard(app, {
      authenticator: host.authenticator,
      keyCredentials,
      limiter,
      ...(sources ? { viewerSources: sources } : {}),
    });
    addRefusalAudit(app, host.refusals);
    const handle = async () => ({ handled: ++handled });
    app.get('/open', { config: { access: 'open' } }, handle);
    app.get('/keys', { config: { access: 'keys' } }, handle);
    app.get('/keys/:contentId/:epoch', { config: { access: 'keys' } }, handle);
    app.get('/info/:id', { config: { access: 'key-info', action: 'thing.info' } }, handle);
    app.get('/read/:id', { config: { access: 'content:read' } }, handle);
    app.post('/manage/:id', { config: { access: 'manage', action: 'thing.change' } }, handle);
  });
}
const ask = (method: 'GET' | 'POST', url: string, credential?: string, payload?: string) =>
  host.app.inject({
    method,
    url,
    headers: {
      ...(credential ? { authorization: `Bearer ${credential}` } : {}),
      ...(payload ? { 'content-type': 'application/json' } : {}),
    },
    ...(payload ? { payload } : {}),
  });

/** Issued at the beginning of the test's clock. */
function viewerToken(): string {
  const now = Date.UTC(2026, 0, 1) / 1_000;
  return signToken(testTokenSecret, { sub: 'alice', iat: now, exp: now + 60 });
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
  expect((await ask('POST', '/manage/a', undefined, '{')).statusCode).toBe(401);
  expect((await ask('POST', '/manage/a', key, '{')).statusCode).toBe(403);
  expect(handled).toBe(0);
});

test('an admitted caller is served, and an open route needs no credential', async () => {
  await mount();
  expect((await ask('GET', '/read/a', key)).statusCode).toBe(200);
  expect((await ask('GET', '/open')).statusCode).toBe(200);
  expect((await ask('GET', '/open', 'garbage')).statusCode).toBe(200);
});

test('the log line and the audit name the caller that was refused for its scope, and no caller where the credential is wrong', async () => {
  await mount();
  await ask('POST', '/manage/a', key);
  await ask('POST', '/manage/a', 'lk_wrong');
  const known = { kind: 'api-key', id: 'k-1' };
  expect(host.lines.map(({ principal, code }) => [principal, code])).toEqual([
    [known, 'INSUFFICIENT_SCOPE'],
    [null, 'INVALID_API_KEY'],
  ]);
  const rows = await database.db
    .selectFrom('audit')
    .select(['actor_id', 'action', 'target', 'code'])
    .execute();
  expect(rows).toEqual([
    { actor_id: 'k-1', action: 'thing.change', target: 'a', code: 'INSUFFICIENT_SCOPE' },
    { actor_id: null, action: 'thing.change', target: 'a', code: 'INVALID_API_KEY' },
  ]);
});

test('a viewer token in the query or cookie works where that is allowed, and never on management', async () => {
  const token = viewerToken();
  await mount(['header', 'query']);
  expect((await ask('GET', `/keys?access_token=${token}`)).statusCode).toBe(200);
  expect((await ask('GET', `/read/a?access_token=${token}`)).statusCode).toBe(401);
  expect(host.lines.every(({ path }) => !path.includes(token) && !path.includes(key))).toBe(true);
});

test('an API key in the query or cookie is never accepted, though the same in the header is', async () => {
  await mount(['header', 'query', 'cookie']);
  expect((await ask('GET', '/keys', key)).statusCode).toBe(200);
  const inCookie = { method: 'GET', url: '/keys', headers: { cookie: `latchkey_token=${key}` } } as const;
  for (const answer of [await ask('GET', `/keys?access_token=${key}`), await host.app.inject(inCookie)]) {
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'INVALID_TOKEN']);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
  }
  expect(host.lines.every(({ path }) => !path.includes(key))).toBe(true);
});

test('by default a viewer token is accepted in the header alone', async () => {
  await mount();
  expect((await ask('GET', `/keys?access_token=${viewerToken()}`)).json().code).toBe('UNAUTHENTICATED');
});

test('a request over the limit gets 429 with Retry-After, also where its credential is wrong', async () => {
  await mount(undefined, true);
  for (const credential of [key, 'lk_wrong']) {
    const answer = await ask('GET', '/read/a', credential);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '7']);
  }
});

test('a key credential in the URL of its key acts as its API key for a minute, and is not written to the log', async () => {
  await mount();
  const credential = keyCredentials.issue({ contentId: 'film', epoch: '7' }, hashCredential(key));
  const codes = async () =>
    Promise.all(
      ['/keys/film/7', '/keys/film/8', '/keys/fil/7', '/read/film'].map(
        async (path) => (await ask('GET', `${path}?key_credential=${credential}`)).statusCode,
      ),
    );
  expect(await codes()).toEqual([200, 401, 401, 401]);
  expect(host.lines.find(({ status }) => status === 200)?.principal).toEqual({ kind: 'api-key', id: 'k-1' });
  expect(host.lines.every(({ path }) => !path.includes(credential))).toBe(true);
  clock.advance(60_000);
  expect(await codes()).toEqual([401, 401, 401, 401]);
});

test('a request for key info without a credential leaves no audit row, and one with a wrong password does', async () => {
  await mount();
  expect((await ask('GET', '/info/film')).json().code).toBe('UNAUTHENTICATED');
  const headers = { authorization: `Basic ${Buffer.from('x:lk_wrong').toString('base64')}` };
  await host.app.inject({ method: 'GET', url: '/info/film', headers });
  const rows = await database.db.selectFrom('audit').select(['action', 'code']).execute();
  expect(rows).toEqual([{ action: 'thing.info', code: 'INVALID_API_KEY' }]);
});
