import { signToken } from '@latchkey/rig/tokens';
import type { ContentState } from '@latchkey/shared/contracts';
import { createMasterKey } from '@latchkey/shared/derivation';
import { usualCachesBytes } from '@latchkey/shared/memory';
import { createManualClock, createTestHost, databaseKinds, testTokenSecret } from '@latchkey/shared/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createContentKeyCache } from './content-key-cache.ts';
import { createContentKeyIssuer } from './issue-content-key.ts';
import { reportMissingKeys } from './master-key-missing.ts';
import { createMasterKeyRing } from './master-key-ring.ts';
import { keyDerivationRoutes } from './mount.ts';
import { createLocalPace } from './pace/local-pace.ts';

/** The service with version 1 of the master key alone, and a film of each version. */
async function serveKeys({ isBehindGateway }: { isBehindGateway: boolean }) {
  const [sqlite] = databaseKinds({});
  if (!sqlite) throw new Error('there is always SQLite');
  const database = await sqlite.open();
  onTestFinished(() => database.close());
  const clock = createManualClock();
  const versions = new Map([
    ['first', 1],
    ['second', 2],
  ]);
  const findContent = async (id: string): Promise<ContentState | null> => {
    const keyVersion = versions.get(id);
    return keyVersion === undefined ? null : { status: 'active', keyVersion };
  };
  const host = await createTestHost({
    db: database.db,
    clock,
    verifier: { findApiKey: async () => null, noteUse: () => {} },
    contents: { findContent },
    leases: { findLease: async () => null, findMark: async () => null },
  });
  onTestFinished(() => host.app.close());
  if (isBehindGateway) reportMissingKeys(host.app);
  const masterKey = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));
  const issuer = createContentKeyIssuer({
    ...host,
    rules: { contentMode: 'registered', leaseMode: 'optional' },
    masterKeys: createMasterKeyRing([masterKey], host.log.warn),
    pace: createLocalPace(clock, usualCachesBytes),
    keys: createContentKeyCache(),
    noteUse: () => {},
  });
  await keyDerivationRoutes({
    ...host,
    publicUrl: null,
    issuer,
    guard: { authenticator: host.authenticator, limiter: null },
  })(host.app);
  const nowSeconds = clock.now() / 1_000;
  const token = signToken(testTokenSecret, { sub: 'ada', iat: nowSeconds, exp: nowSeconds + 60 });
  const get = (id: string) =>
    host.app.inject({ url: `/keys/${id}`, headers: { authorization: `Bearer ${token}` } });
  return { get, operatorLines: host.operatorLines };
}

test('the 503 for a master key version that this replica lacks says that another replica may have it, with and without a read', async () => {
  const { get } = await serveKeys({ isBehindGateway: true });
  for (let round = 0; round < 2; round++) {
    const { statusCode, headers, body } = await get('second');
    expect(statusCode).toBe(503);
    expect(headers).toMatchObject({ 'x-latchkey-elsewhere': '1', 'retry-after': '1' });
    expect(headers['x-latchkey-phase']).toBeUndefined();
    expect(JSON.parse(body).code).toBe('DEPENDENCY_UNAVAILABLE');
    expect(body).not.toContain('MASTER_KEY');
  }
});

test('only a missing master key version sends the request to another replica: a key and a refusal do not', async () => {
  const { get } = await serveKeys({ isBehindGateway: true });
  for (const [id, status] of [
    ['first', 200],
    ['unknown', 404],
  ] as const) {
    const { statusCode, headers } = await get(id);
    expect(statusCode).toBe(status);
    expect(headers['x-latchkey-elsewhere']).toBeUndefined();
  }
});

test('a single node does not send the header for other replicas to clients', async () => {
  const { get } = await serveKeys({ isBehindGateway: false });
  const { statusCode, headers } = await get('second');
  expect(statusCode).toBe(503);
  expect(headers['x-latchkey-elsewhere']).toBeUndefined();
});

test('the operator is warned once of a missing master key version, not for each request', async () => {
  const { get, operatorLines } = await serveKeys({ isBehindGateway: true });
  for (let request = 0; request < 5; request++) await get('second');
  expect(operatorLines).toEqual([expect.stringMatching(/version 2.*MASTER_KEY_HEX_V2 and SALT_HEX_V2/)]);
});
