import type { ContentState } from '@latchkey/shared/contracts';
import { createMasterKey } from '@latchkey/shared/derivation';
import type { App } from '@latchkey/shared/http';
import { usualCachesBytes } from '@latchkey/shared/memory';
import { createManualClock, createTestHost, databaseKinds, testTokenSecret } from '@latchkey/shared/testing';
import { signToken } from '@latchkey/support/tokens';
import { onTestFinished } from 'vitest';
import { addKeyDerivationRoutes } from './app.ts';
import { createContentKeyCache } from './content-key-cache.ts';
import { createContentKeyIssuer } from './issue-content-key.ts';
import { createMasterKeyRing } from './master-key-ring.ts';
import { createLocalPace } from './pace/local-pace.ts';

export const masterKey = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));

/**
 * The service over HTTP on a clock that the test moves, with version 1 of the master key alone.
 *
 * @param addHooks runs before the routes are added
 */
export async function serveKeys(
  findContent: (contentId: string, origin: number) => ContentState | null,
  addHooks: (app: App) => void = () => {},
) {
  const [sqlite] = databaseKinds({});
  if (!sqlite) throw new Error('there is always SQLite');
  const database = await sqlite.open();
  onTestFinished(() => database.close());
  const clock = createManualClock();
  const origin = clock.now();
  const host = await createTestHost({
    db: database.db,
    clock,
    verifier: { findApiKey: async () => null, noteUse: () => {} },
    contents: { findContent: async (contentId) => findContent(contentId, origin) },
    leases: { findLease: async () => null, findMark: async () => null },
  });
  onTestFinished(() => host.app.close());
  const issuer = createContentKeyIssuer({
    ...host,
    rules: { contentMode: 'registered', leaseMode: 'optional' },
    masterKeys: createMasterKeyRing([masterKey], host.log.warn),
    pace: createLocalPace(clock, usualCachesBytes),
    keys: createContentKeyCache(),
    noteUse: () => {},
  });
  addHooks(host.app);
  const guard = { authenticator: host.authenticator, limiter: null };
  await addKeyDerivationRoutes(host.app, { ...host, publicUrl: null, issuer, guard });
  // Valid however far a test moves the wall clock.
  const issuedAt = origin / 1_000 - 40_000;
  const token = signToken(testTokenSecret, { sub: 'ada', iat: issuedAt, exp: issuedAt + 80_000 });
  const get = (path: string) =>
    host.app.inject({ url: `/keys/${path}`, headers: { authorization: `Bearer ${token}` } });
  return { clock, origin, get };
}
