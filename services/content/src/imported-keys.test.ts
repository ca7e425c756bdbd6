import { randomUUID } from 'node:crypto';
import type { ImportedKeyReader, ImportedKeyStore } from '@latchkey/shared/contracts';
import { createImportedKeyClient } from '@latchkey/shared/internal';
import { databaseKinds, serveInternalRoutes, type TestDatabase } from '@latchkey/shared/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keys as apiKeys, serveContents } from './content-service.fixture.ts';
import { createImportedKeyReader, createImportedKeyStore } from './imported-keys.ts';
import { addImportedKeyRoutes } from './routes/imported-key-routes.ts';

const facts = {
  actor: { kind: 'api-key', id: 'id-of-admin' },
  clientIp: '127.0.0.1',
  requestId: 'a-request-1',
} as const;
const act = { facts, authorization: `Bearer ${apiKeys.admin}` };
const wrapped = (n: number) => n.toString(16).padStart(48, '0');

// One contract for the content service's own objects and for the client that asks them over HTTP.
describe.each(databaseKinds(process.env))('on $name', ({ open }) => {
  describe.each(['itself', 'over HTTP'])('the content service %s', (way) => {
    let database: TestDatabase;
    let service: Awaited<ReturnType<typeof serveContents>>;
    let keys: ImportedKeyReader & ImportedKeyStore;
    let close: () => Promise<void>;
    let film: string;
    beforeAll(async () => {
      database = await open();
      service = await serveContents(database.db);
      const reader = createImportedKeyReader(database);
      const store = createImportedKeyStore(service);
      keys = { ...reader, ...store };
      close = async () => {};
      if (way === 'over HTTP') {
        const server = await serveInternalRoutes(
          (app) =>
            void addImportedKeyRoutes(app, {
              ...service,
              reader,
              store,
              guard: { ...service, limiter: null },
            }),
        );
        keys = createImportedKeyClient(server.client);
        close = server.close;
      }
    });
    beforeEach(async () => {
      film = randomUUID();
      await service.ask('POST', '', { id: film, name: 'A film' });
    });
    afterAll(async () => {
      await close();
      await service.app.close();
      await database.close();
    });
    const revision = async () => (await service.reader.findContent(film))?.importedKeysRevision;
    const put = (epoch: number | null, wrappedKey: string | null, contentId = film) =>
      keys.changeKey({ contentId, epoch, wrappedKey }, act);
    const storedKeysOf = (contentId: string) =>
      database.db.selectFrom('imported_keys').selectAll().where('content_id', '=', contentId).execute();
    const lastAct = () =>
      database.db
        .selectFrom('audit')
        .select(['actor_id', 'action', 'target', 'client_ip', 'request_id', 'outcome', 'code'])
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst();

    test('a key is found by its content and epoch alone, and each change raises the revision of the content', async () => {
      expect(await revision()).toBeUndefined();
      await put(null, wrapped(1));
      expect(await revision()).toBe(1);
      await put(4_294_967_295, wrapped(2));
      await put(0, wrapped(3));
      expect(await revision()).toBe(3);
      const find = (epoch: number | null, contentId = film) => keys.findImportedKey({ contentId, epoch });
      expect(
        await Promise.all([find(null), find(4_294_967_295), find(0), find(1), find(0, 'other')]),
      ).toEqual([wrapped(1), wrapped(2), wrapped(3), null, null]);
    });

    test('a key can be replaced and removed, and both are changes in the feed with a row in the audit', async () => {
      await put(7, wrapped(1));
      await put(7, wrapped(2));
      expect(await keys.findImportedKey({ contentId: film, epoch: 7 })).toBe(wrapped(2));
      const acted = {
        actor_id: 'id-of-admin',
        target: film,
        client_ip: '127.0.0.1',
        request_id: 'a-request-1',
      };
      const done = { ...acted, outcome: 'done', code: null };
      expect(await lastAct()).toEqual({ ...done, action: 'content.import-key' });
      const changes = () => database.db.selectFrom('changes').select('change').execute();
      const before = (await changes()).length;
      await put(7, null);
      await put(7, null);
      expect(await keys.findImportedKey({ contentId: film, epoch: 7 })).toBeNull();
      expect(await lastAct()).toEqual({ ...done, action: 'content.remove-key' });
      expect((await changes()).slice(before).map(({ change }) => JSON.parse(change))).toEqual([
        { kind: 'content', contentId: film },
        { kind: 'content', contentId: film },
      ]);
      expect(await revision()).toBe(4);
    });

    test('of many changes at once each is kept, and the revision counts all of them', async () => {
      await Promise.all(Array.from({ length: 20 }, (_, epoch) => put(epoch, wrapped(epoch))));
      expect(await revision()).toBe(20);
      const all = await keys.exportKeys(film, { first: 0, last: 19 }, act);
      expect(all).toEqual(Array.from({ length: 20 }, (_, epoch) => ({ epoch, wrappedKey: wrapped(epoch) })));
    });

    if (way === 'over HTTP')
      test('an act without a credential that may manage is refused, whatever secret the process has that passes it on', async () => {
        const change = { contentId: film, epoch: 0, wrappedKey: wrapped(1) };
        for (const authorization of [
          '',
          'Bearer lk_0',
          `Bearer ${apiKeys.packager}`,
          `Bearer ${apiKeys.playback}`,
        ]) {
          await expect(keys.changeKey(change, { facts, authorization })).rejects.toMatchObject({
            code: 'DEPENDENCY_UNAVAILABLE',
          });
          await expect(
            keys.exportKeys(film, { from: null, limit: 1 }, { facts, authorization }),
          ).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
        }
        const authorization = `Bearer ${apiKeys.full}`;
        expect(await storedKeysOf(film)).toEqual([]);
        await keys.changeKey(change, { facts, authorization });
        expect(await keys.findImportedKey({ contentId: film, epoch: 0 })).toBe(wrapped(1));
      });
  });
});
