import type { ContentReader, KeyVersionRegistry } from '@latchkey/shared/contracts';
import { createContentClient, createKeyVersionClient } from '@latchkey/shared/internal';
import {
  createManualClock,
  databaseKinds,
  serveInternalRoutes,
  type TestDatabase,
} from '@latchkey/shared/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createContentReader } from './content-reader.ts';
import { createKeyVersionRegistry } from './key-version-store.ts';
import { addContentInternalRoutes } from './routes/internal-routes.ts';

// One contract for the content service's own objects and for the clients that ask them over HTTP.
describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  describe.each(['itself', 'over HTTP'])('the content service %s', (way) => {
    let database: TestDatabase;
    let reader: ContentReader;
    let registry: KeyVersionRegistry;
    let close: () => Promise<void>;
    beforeEach(async () => {
      database = await open();
      const ownReader = createContentReader(database);
      reader = ownReader;
      registry = createKeyVersionRegistry({ db: database.db, clock: createManualClock() });
      close = async () => {};
      if (way === 'itself') return;
      const own = { reader: ownReader, registry };
      const server = await serveInternalRoutes((app) =>
        addContentInternalRoutes(app, own.reader, own.registry),
      );
      reader = createContentClient(server.client);
      registry = createKeyVersionClient(server.client);
      close = server.close;
    });
    afterEach(async () => {
      await close();
      await database.close();
    });
    const insert = (id: string, status: 'active' | 'disabled', keyVersion: number) =>
      database.db
        .insertInto('contents')
        .values({
          id,
          name: id,
          status,
          key_version: keyVersion,
          size_bytes: null,
          manifest_key: null,
          metadata: '{}',
          search_text: id,
          created_at: 1,
          updated_at: 1,
        })
        .execute();

    test('another service gets the status and the key version of a content', async () => {
      await insert('film', 'active', 1);
      await insert('Withdrawn-_9', 'disabled', 255);
      expect(await reader.findContent('film')).toEqual({ status: 'active', keyVersion: 1, keyPeriods: null });
      expect(await reader.findContent('Withdrawn-_9')).toEqual({
        status: 'disabled',
        keyVersion: 255,
        keyPeriods: null,
      });
    });

    test('another service gets null for a content that is not registered, whatever its id', async () => {
      for (const id of ['nothing', '..', '../key-versions', 'a/b', '%2e', '?x=1', '#', 'ż', ' '])
        expect(await reader.findContent(id)).toBeNull();
      // Postgres takes no text with the byte 0, and no content can have such a name.
      const names = fc.string({ unit: 'binary', minLength: 1 }).filter((id) => !id.includes('\0'));
      await fc.assert(
        fc.asyncProperty(names, async (id) => {
          expect(await reader.findContent(id)).toBeNull();
        }),
        { numRuns: 40 },
      );
    });

    test('another service gets each of a hundred contents that it asks for at once, and null for those that do not exist', async () => {
      const ids = Array.from({ length: 100 }, (_, n) => `film-${n}`);
      for (const [n, id] of ids.entries())
        if (n % 10 !== 3) await insert(id, n % 7 === 0 ? 'disabled' : 'active', (n % 5) + 1);
      const asked = [...ids, '..', 'a b', 'ż'];
      expect(await Promise.all(asked.map((id) => reader.findContent(id)))).toEqual(
        asked.map((_, n) =>
          n >= ids.length || n % 10 === 3
            ? null
            : { status: n % 7 === 0 ? 'disabled' : 'active', keyVersion: (n % 5) + 1, keyPeriods: null },
        ),
      );
    });

    test('comparing master keys stores the fingerprint of a new version, and names each one that differs or is missing', async () => {
      const compare = (...fingerprints: [version: number, fingerprint: string][]) =>
        registry.compare(new Map(fingerprints));
      const [one, other] = ['00112233445566aa', '00112233445566bb'];
      const none = { differing: [], missing: [] };
      expect(await compare()).toEqual(none);
      expect(await compare([1, one], [2, other])).toEqual(none);
      expect(await compare([1, one], [2, other])).toEqual(none);
      expect(await compare([1, other], [2, one], [3, one])).toEqual({ differing: [1, 2], missing: [] });
      expect(await compare([1, other])).toEqual({ differing: [1], missing: [2, 3] });
    });

    test('another service gets DEPENDENCY_UNAVAILABLE for a content while the database does not answer', async () => {
      await database.close();
      const unavailable = { code: 'DEPENDENCY_UNAVAILABLE' };
      await expect(reader.findContent('film')).rejects.toMatchObject(unavailable);
      await expect(registry.compare(new Map([[1, '00112233445566aa']]))).rejects.toMatchObject(unavailable);
      database = await open();
    });
  });
});
