import { signToken } from '@latchkey/rig/tokens';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { generateApiKey, hashCredential } from '../auth/index.ts';
import type { Database } from '../db/index.ts';
import {
  createManualClock,
  createTestHost,
  databaseKinds,
  type TestDatabase,
  type TestHost,
  testTokenSecret,
} from '../testing/index.ts';
import { addGuard } from './guard.ts';
import { createViewerCeiling } from './viewer-ceiling.ts';

const key = generateApiKey(() => Buffer.alloc(32, 'a'));
const apiKey = { id: null, name: 'admin', scope: 'admin', expiresAt: null, revokedAt: null } as const;
let database: TestDatabase;
let host: TestHost;
let clock: ReturnType<typeof createManualClock>;
let limited: string[];

beforeEach(async () => {
  const [sqlite] = databaseKinds({});
  if (!sqlite) throw new Error('SQLite is always there');
  database = await sqlite.open();
  clock = createManualClock();
  limited = [];
  host = await openHost(database.db);
});
afterEach(async () => {
  await host.app.close();
  await database.close();
});

/** Routes as the services name them, with `RATE_LIMIT=off`. */
async function openHost(db: Database): Promise<TestHost> {
  const host = await createTestHost({
    db,
    clock,
    verifier: {
      findApiKey: async (hash) => (hash === hashCredential(key) ? apiKey : null),
      noteUse: () => {},
    },
    contents: { findContent: async () => null },
    leases: { findLease: async () => null, findMark: async () => null },
  });
  const ceiling = createViewerCeiling(clock, (limit) => void limited.push(limit));
  await host.app.register(async (app) => {
    addGuard(app, { authenticator: host.authenticator, limiter: null, ceiling });
    const handle = async () => 'done';
    app.post('/leases', { config: { access: 'leases', action: 'lease.create', limit: 'leases' } }, handle);
    app.post('/renew', { config: { access: 'leases', action: 'lease.renew' } }, handle);
    app.post('/sessions', { config: { access: 'leases', action: 'session.create' } }, handle);
    app.post('/revoke', { config: { access: 'leases', action: 'lease.revoke' } }, handle);
    app.post('/presign', { config: { access: 'presign', action: 'upload.presign' } }, handle);
    app.get('/keys', { config: { access: 'keys', limit: 'keys' } }, handle);
  });
  return host;
}

function tokenOf(sub: string): string {
  const iat = Math.floor(clock.now() / 1_000);
  return signToken(testTokenSecret, { sub, iat, exp: iat + 3_600, scope: 'upload' });
}

const ask = (path: string, credential: string, method: 'GET' | 'POST' = 'POST') =>
  host.app.inject({ method, url: path, headers: { authorization: `Bearer ${credential}` } });

async function statusesOf(count: number, path: string, credential: string): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let n = 0; n < count; n++) statuses.add((await ask(path, credential)).statusCode);
  return statuses;
}

test('a viewer gets 1,200 leases, renewals and sessions a minute together, and then 429 until the minute is over', async () => {
  const token = tokenOf('ada');
  for (const path of ['/leases', '/renew', '/sessions'])
    expect(await statusesOf(400, path, token)).toEqual(new Set([200]));
  clock.advance(20_500);
  for (const path of ['/leases', '/renew', '/sessions']) {
    const { statusCode, headers, body } = await ask(path, token);
    expect([statusCode, JSON.parse(body).code]).toEqual([429, 'RATE_LIMITED']);
    expect(headers).toMatchObject({
      'retry-after': '40',
      'ratelimit-policy': '"leases";q=1200;w=60',
      ratelimit: '"leases";r=0;t=40',
    });
  }
  expect(limited).toEqual(['leases', 'leases', 'leases']);
  clock.advance(39_500);
  expect((await ask('/leases', token)).statusCode).toBe(200);
});

test('upload URLs of a viewer have a ceiling of their own, and other viewers have theirs', async () => {
  const token = tokenOf('ada');
  expect(await statusesOf(1_200, '/presign', token)).toEqual(new Set([200]));
  expect((await ask('/presign', token)).statusCode).toBe(429);
  expect((await ask('/leases', token)).statusCode).toBe(200);
  expect((await ask('/presign', tokenOf('bob'))).statusCode).toBe(200);
});

test('a second token of a viewer does not double its ceiling', async () => {
  await statusesOf(1_200, '/leases', tokenOf('ada'));
  clock.advance(1_000);
  expect((await ask('/leases', tokenOf('ada'))).statusCode).toBe(429);
});

test('a viewer at its ceiling can release its leases and fetch keys, whose answers have no header of it', async () => {
  const token = tokenOf('ada');
  expect(await statusesOf(1_201, '/leases', token)).toEqual(new Set([200, 429]));
  expect((await ask('/revoke', token)).statusCode).toBe(200);
  const { statusCode, headers } = await ask('/keys', token, 'GET');
  expect([statusCode, headers.ratelimit]).toEqual([200, undefined]);
});

test('an API key has no ceiling', async () => {
  expect(await statusesOf(1_300, '/leases', key)).toEqual(new Set([200]));
  expect(limited).toEqual([]);
});
