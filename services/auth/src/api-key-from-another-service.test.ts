import { hashCredential } from '@latchkey/shared/auth';
import type { ApiKeyVerifier } from '@latchkey/shared/contracts';
import { createApiKeyClient } from '@latchkey/shared/internal';
import { createManualClock, databaseKinds, serveInternalRoutes } from '@latchkey/shared/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findApiKeyById, insertApiKey } from './api-key-store.ts';
import { createApiKeyVerifier } from './api-key-verifier.ts';
import { addAuthInternalRoutes } from './routes/internal-routes.ts';

const bootstrapKey = 'a bootstrap key of any form';

// One contract for the auth service's own verifier and for the client that asks it over HTTP.
describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  describe.each(['itself', 'over HTTP'])('the auth service %s', (way) => {
    const clock = createManualClock();
    async function openService() {
      const { db, close: closeDatabase } = await open();
      const own = createApiKeyVerifier({ db, clock, bootstrapKeys: [bootstrapKey], onFault: () => {} });
      const ofAll = { db, closeDatabase };
      if (way === 'itself') return { ...ofAll, verifier: own, flush: own.flush, close: async () => {} };
      const server = await serveInternalRoutes((app) => addAuthInternalRoutes(app, own));
      const verifier = createApiKeyClient(server.client);
      const flush = async () => {
        await verifier.flush();
        await own.flush();
      };
      return { ...ofAll, verifier, flush, close: server.close };
    }
    let service: Awaited<ReturnType<typeof openService>>;
    let verifier: ApiKeyVerifier;
    beforeAll(async () => {
      service = await openService();
      verifier = service.verifier;
    });
    beforeEach(() => service.db.deleteFrom('api_keys').execute());
    afterAll(async () => {
      await service.close();
      await service.closeDatabase();
    });
    async function insert(
      id: string,
      more: { expires_at?: number; revoked_at?: number } = {},
    ): Promise<string> {
      const hash = hashCredential(`lk_${id}`);
      await insertApiKey(service.db, {
        ...{ id, name: `ключ ${id}`, key_hash: hash, key_prefix: 'lk_00000000', scope: 'playback' },
        ...{
          created_at: 1,
          expires_at: null,
          revoked_at: null,
          last_used_at: null,
          metadata: null,
          contents: null,
        },
        ...more,
      });
      return hash;
    }

    test('another service gets an API key as it is stored, also when it has ended: the caller compares the times', async () => {
      const key = { id: 'one', name: 'ключ one', scope: 'playback', expiresAt: null, revokedAt: null };
      expect(await verifier.findApiKey(await insert('one'), true)).toEqual(key);
      const ended = await insert('two', { expires_at: 5, revoked_at: 7 });
      expect(await verifier.findApiKey(ended, true)).toMatchObject({ id: 'two', expiresAt: 5, revokedAt: 7 });
    });

    test('another service gets the bootstrap key without an id, whatever the form of the key', async () => {
      const key = { id: null, name: 'bootstrap', scope: 'admin', expiresAt: null, revokedAt: null };
      for (const wellFormed of [true, false])
        expect(await verifier.findApiKey(hashCredential(bootstrapKey), wellFormed)).toEqual(key);
    });

    test('another service gets null for an unknown API key, and a malformed one is not looked up', async () => {
      expect(await verifier.findApiKey(hashCredential('unknown'), true)).toBeNull();
      const hash = await insert('one');
      expect(await verifier.findApiKey(hash, false)).toBeNull();
    });

    test('another service gets each of many API keys that it asks for at once, in the order of its questions', async () => {
      const hashes = [];
      for (let n = 0; n < 70; n++)
        hashes.push(await insert(`key ${n}`, n % 4 === 1 ? { revoked_at: 7 } : {}));
      const asked = hashes.flatMap((hash, n) => [
        [hash, true] as const,
        ...(n % 10 === 0
          ? ([
              [hash, false],
              [hashCredential(`unknown ${n}`), true],
              [hashCredential(bootstrapKey), n > 0],
            ] as const)
          : []),
      ]);
      const found = await Promise.all(
        asked.map(([hash, wellFormed]) => verifier.findApiKey(hash, wellFormed)),
      );
      const expected = hashes.flatMap((_, n) => [
        { id: `key ${n}`, revokedAt: n % 4 === 1 ? 7 : null },
        ...(n % 10 === 0 ? [null, null, { id: null, revokedAt: null }] : []),
      ]);
      expect(found.map((key) => key && { id: key.id, revokedAt: key.revokedAt })).toEqual(expected);
    });

    test('the auth service stores the latest of the uses that another service noted', async () => {
      await insert('one');
      await insert('two');
      clock.advance(1_000);
      verifier.noteUse('one', clock.now());
      verifier.noteUse('one', clock.now() - 10);
      verifier.noteUse('two', clock.now() - 20);
      verifier.noteUse('gone', clock.now());
      expect((await findApiKeyById(service.db, 'one'))?.last_used_at).toBeNull();
      await service.flush();
      verifier.noteUse('one', clock.now() - 500);
      await service.flush();
      expect((await findApiKeyById(service.db, 'one'))?.last_used_at).toBe(clock.now());
      expect((await findApiKeyById(service.db, 'two'))?.last_used_at).toBe(clock.now() - 20);
    });

    test('another service gets DEPENDENCY_UNAVAILABLE for an API key while the database does not answer', async () => {
      const broken = await openService();
      await broken.closeDatabase();
      const finding = broken.verifier.findApiKey(hashCredential('lk_one'), true);
      await expect(finding).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
      // A malformed one and the bootstrap key need no database.
      expect(await broken.verifier.findApiKey(hashCredential('lk_one'), false)).toBeNull();
      expect(await broken.verifier.findApiKey(hashCredential(bootstrapKey), true)).not.toBeNull();
      await broken.close();
    });
  });
});
