import { signToken } from '@latchkey/rig/tokens';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assertScope } from '../auth/index.ts';
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

beforeEach(async () => {
  const [sqlite] = databaseKinds({});
  database = (await sqlite?.open()) as TestDatabase;
  const state = { id: 'k-1', name: 'n', scope: 'full' as const, expiresAt: null, revokedAt: null };
  host = await createTestHost({
    db: database.db,
    clock: createManualClock(),
    verifier: { findApiKey: async () => state, noteUse: () => {} },
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
    const config = { access: 'manage', action: 'thing.create' } as const;
    app.post('/things', { config, schema: { body } }, async () => {
      throw Object.assign(new Error('unforeseen'), { statusCode: 409 });
    });
    // As in the lease service: a viewer acts on what is its own, and what is wider takes an API key.
    const shared = { access: 'leases', action: 'lease.revoke' } as const;
    app.post('/leases', { config: shared }, async (request) => {
      const { wide } = request.body as { wide?: boolean };
      if (wide && request.principal) assertScope(request.principal, 'manage');
      throw new AppError('LEASE_NOT_FOUND');
    });
    const upload = { access: 'presign', action: 'upload.presign' } as const;
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
