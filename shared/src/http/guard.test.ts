import { signToken } from '@latchkey/support/tokens';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assertScope, hashCredential } from '../auth/index.ts';
import { AppError } from '../errors/errors.ts';
import { Type } from '../schema/type.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { createTestHost, type TestHost, testTokenSecret } from '../testing/test-host.ts';
import { addGuard } from './guard.ts';
import { addRefusalAudit } from './refusal-audit.ts';

const key = `lk_${'a'.repeat(64)}`;
let database: TestDatabase;
let host: TestHost;
let handled: number;

beforeEach(async () => {
  handled = 0;
  const [sqlite] = databaseKinds({});
  database = (await sqlite?.open()) as TestDatabase;
  const state = { id: 'k-1', name: 'n', scope: 'full' as const, expiresAt: null, revokedAt: null };
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
  await mount();
});
afterEach(async () => {
  await host.app.close();
  await database.close();
});

const mount = () =>
  host.app.register(async (app) => {
    addGuard(app, { authenticator: host.authenticator, limiter: null });
    addRefusalAudit(app, host.refusals);
    const body = Type.Object({ name: Type.String() }, { additionalProperties: false });
    const config = { access: 'manage', contents: 'none', action: 'thing.create' } as const;
    app.post('/things', { config, schema: { body } }, async () => {
      throw Object.assign(new Error('unforeseen'), { statusCode: 409 });
    });
    // As in the lease service: a viewer acts on what is its own, and what is wider takes an API key.
    const shared = { access: 'leases', contents: 'narrowed', action: 'lease.revoke' } as const;
    app.post('/leases', { config: shared }, async (request) => {
      const { wide } = request.body as { wide?: boolean };
      if (wide && request.principal) assertScope(request.principal, 'manage');
      throw new AppError('LEASE_NOT_FOUND');
    });
    const handle = async () => ({ handled: ++handled });
    app.get('/info/:id', { config: { access: 'key-info', contents: 'none', action: 'thing.info' } }, handle);
    app.post('/manage', { config: { access: 'manage', contents: 'none', action: 'thing.change' } }, handle);
    const upload = { access: 'presign', contents: 'narrowed', action: 'upload.presign' } as const;
    app.post('/presign', { config: upload }, async () => ({}));
  });

function viewerToken(secret = testTokenSecret): string {
  const now = host.clock.now() / 1_000;
  return signToken(secret, { sub: 'zed', iat: now, exp: now + 60 });
}
async function post(url: string, credential: string | null, payload: string, type = 'application/json') {
  const authorization = credential === null ? {} : { authorization: `Bearer ${credential}` };
  const answer = await host.app.inject({
    method: 'POST',
    url,
    headers: { ...authorization, 'content-type': type },
    payload,
  });
  return answer.json().code as string;
}
const recorded = async () =>
  (await database.db.selectFrom('audit').select(['actor_kind', 'action', 'code']).execute()).map((row) =>
    Object.values(row).join(' '),
  );

test.each([
  ['PAYLOAD_TOO_LARGE', JSON.stringify({ name: 'x'.repeat(70_000) }), 'application/json'],
  ['UNSUPPORTED_MEDIA_TYPE', 'name', 'text/plain'],
  ['VALIDATION_FAILED', '{', 'application/json'],
  ['VALIDATION_FAILED', '{}', 'application/json'],
])('a refusal is recorded with the code of its answer: %s', async (code, payload, type) => {
  expect(await post('/things', key, payload, type)).toBe(code);
  expect(await recorded()).toEqual([`api-key thing.create ${code}`]);
});

test('a failure is not recorded as a refusal, whatever status its error has', async () => {
  expect(await post('/things', key, '{"name":"x"}')).toBe('INTERNAL');
  expect(await recorded()).toEqual([]);
});

test('a refused management request of a viewer is recorded, and a refusal about its own lease is not', async () => {
  expect(await post('/leases', viewerToken(), '{}')).toBe('LEASE_NOT_FOUND');
  expect(await post('/leases', viewerToken(Buffer.alloc(32)), '{"wide":true}')).toBe('INVALID_TOKEN');
  expect(await post('/leases', null, '{"wide":true}')).toBe('UNAUTHENTICATED');
  expect(await post('/presign', viewerToken(), '{}')).toBe('INSUFFICIENT_SCOPE');
  expect(await recorded()).toEqual([]);
  expect(await post('/leases', viewerToken(), '{"wide":true}')).toBe('INSUFFICIENT_SCOPE');
  expect(await recorded()).toEqual(['viewer lease.revoke INSUFFICIENT_SCOPE']);
});

test('a route that names no row of the scope table cannot be mounted', async () => {
  const mounting = host.app.register(async (app) => {
    addGuard(app, { authenticator: host.authenticator, limiter: null });
    app.get('/forgotten', async () => ({}));
  });
  await expect(mounting).rejects.toThrow('names no row of the scope table');
});

test('a route that does not declare how it names contents cannot be mounted', async () => {
  const mounting = host.app.register(async (app) => {
    addGuard(app, { authenticator: host.authenticator, limiter: null });
    app.get('/forgotten', { config: { access: 'manage' } }, async () => ({}));
  });
  await expect(mounting).rejects.toThrow('does not declare how it names contents');
});

test('a refused caller is answered before its body is read', async () => {
  expect(await post('/manage', null, '{')).toBe('UNAUTHENTICATED');
  expect(await post('/manage', viewerToken(), '{')).toBe('INSUFFICIENT_SCOPE');
  expect(handled).toBe(0);
});

test('a request for key info without a credential leaves no audit row, and one with a wrong password does', async () => {
  expect((await host.app.inject('/info/film')).json().code).toBe('UNAUTHENTICATED');
  const headers = { authorization: `Basic ${Buffer.from('x:lk_wrong').toString('base64')}` };
  await host.app.inject({ url: '/info/film', headers });
  expect(await recorded()).toEqual(['anonymous thing.info INVALID_API_KEY']);
});

test('of several tokens in cookies, one that cannot be checked makes the answer 503, unless another one is accepted', async () => {
  const unknown = 'ey.cannot-be.checked';
  const { authenticator } = host;
  await host.app.register(async (app) => {
    addGuard(app, {
      authenticator: {
        ...authenticator,
        identify: (credential, access) => {
          if (credential === unknown) throw new AppError('DEPENDENCY_UNAVAILABLE');
          return authenticator.identify(credential, access);
        },
      },
      viewerSources: ['cookie'],
      limiter: null,
    });
    const config = { access: 'leases', contents: 'narrowed', action: 'lease.list' } as const;
    app.get('/own', { config }, async () => ({ code: 'accepted' }));
  });
  const ask = async (...tokens: string[]) => {
    const cookie = tokens.map((token) => `latchkey_token=${token}`).join('; ');
    return (await host.app.inject({ url: '/own', headers: { cookie } })).json().code;
  };
  const forged = viewerToken(Buffer.alloc(32));
  expect(await ask(unknown, forged)).toBe('DEPENDENCY_UNAVAILABLE');
  expect(await ask(forged, unknown)).toBe('DEPENDENCY_UNAVAILABLE');
  expect(await ask(forged, unknown, viewerToken())).toBe('accepted');
  expect(await ask(forged, forged)).toBe('INVALID_TOKEN');
});
