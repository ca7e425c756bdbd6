import type { ContentReader } from '@latchkey/shared/contracts';
import { createContentClient, createKeyVersionClient } from '@latchkey/shared/internal';
import { createManualClock, databaseKinds, serveInternalRoutes } from '@latchkey/shared/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContentReader } from './content-reader.ts';
import { createKeyVersionRegistry, knownKeyVersions } from './key-version-store.ts';
import { addContentInternalRoutes } from './routes/internal-routes.ts';

const clock = createManualClock();

// One contract for the content service's own objects and for the clients that ask them over HTTP.
describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  describe.each(['itself', 'over HTTP'])('the content service %s', (way) => {
    const openService = async () => {
      const { db, close: closeDatabase } = await open();
      const own = [createContentReader({ db }), createKeyVersionRegistry({ db, clock })] as const;
      if (way === 'itself')
        return { db, reader: own[0], registry: own[1], closeDatabase, close: async () => {} };
      const { client, close } = await serveInternalRoutes((app) => addContentInternalRoutes(app, ...own));
      const reader: ContentReader = createContentClient(client);
      return { db, reader, registry: createKeyVersionClient(client), closeDatabase, close };
    };
    let service: Awaited<ReturnType<typeof openService>>;
    let reader: ContentReader;
    beforeAll(async () => {
      service = await openService();
      reader = service.reader;
    });
    afterAll(async () => {
      await service.close();
      await service.closeDatabase();
    });
    const insert = (id: string, status: 'active' | 'disabled', keyVersion: number) =>
      service.db
        .insertInto('contents')
        .values({
          ...{ id, name: id, status, key_version: keyVersion, size_bytes: null, manifest_key: null },
          ...{ metadata: '{}', search_text: id, created_at: 1, updated_at: 1 },
        })
        .execute();

    test('another service gets null for a content that is not registered, whatever its id', async () => {
      for (const id of ['nothing', '..', '../key-versions', 'a/b', '%2e', '?x=1', '#', 'ż', ' '])
        expect(await reader.findContent(id)).toBeNull();
      // Postgres takes no text with the byte 0, and no content can have such a name. The unit `binary` would first list
      // all code points, for three seconds.
      const unit = fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'grapheme' }));
      const ids = fc.sample(
        unit.filter((id) => id !== '' && !id.includes('\0')),
        40,
      );
      const found = await Promise.all(ids.map(async (id) => [id, await reader.findContent(id)]));
      expect(found).toEqual(ids.map((id) => [id, null]));
    });

    test('another service gets each of a hundred contents that it requests at once, and null for each that does not exist', async () => {
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
        service.registry.compare(new Map(fingerprints));
      const [one, other] = ['00112233445566aa', '00112233445566bb'];
      const none = { differing: [], missing: [] };
      expect(await compare()).toEqual(none);
      expect(await compare([1, one], [2, other])).toEqual(none);
      expect(await compare([1, one], [2, other])).toEqual(none);
      expect(await compare([1, other], [2, one], [3, one])).toEqual({ differing: [1, 2], missing: [] });
      expect(await compare([1, other])).toEqual({ differing: [1], missing: [2, 3] });
    });

    test('of two processes that start at once with different master keys, one is refused', async () => {
      const results = await Promise.all(
        ['00112233445566aa', '00112233445566bb'].map((fingerprint) =>
          service.registry.compare(new Map([[9, fingerprint]])),
        ),
      );
      expect(results.map(({ differing }) => differing.length).sort()).toEqual([0, 1]);
      expect(await knownKeyVersions(service.db)).toContain(9);
    });

    test('another service gets DEPENDENCY_UNAVAILABLE for a content while the database does not answer', async () => {
      const broken = await openService();
      await broken.closeDatabase();
      const unavailable = { code: 'DEPENDENCY_UNAVAILABLE' };
      await expect(broken.reader.findContent('film')).rejects.toMatchObject(unavailable);
      await expect(broken.registry.compare(new Map([[1, '00112233445566aa']]))).rejects.toMatchObject(
        unavailable,
      );
      await broken.close();
    });
  });
});
