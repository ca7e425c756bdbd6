import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keys, serveContents } from './content-service.fixture.ts';

const url = 'https://cdn.example/film/master.m3u8';
const sequence = { mode: 'sequence', count: 100, periodSeconds: 6, burst: 20, speed: 2 };

// The schema of the release before: an upgrade may start the new processes before it migrates.
describe.each(databaseKinds(process.env))('contents on $name', ({ open }) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof serveContents>>;
  beforeEach(async () => {
    database = await open();
    service = await serveContents(database.db, { playlistOrigins: ['https://cdn.example'] });
  });
  afterEach(async () => {
    await service.app.close();
    await database.close();
  });
  const drop = (column: string) => database.db.schema.alterTable('contents').dropColumn(column).execute();
  const registerAsPackager = async (keyPeriods: unknown) =>
    (await service.ask('POST', '', { id: 'film', name: 'x', keyPeriods }, keys.packager)).status;

  test('before migration 0007 contents are registered and changed without playlistUrl, and one is refused with 503', async () => {
    await drop('playlist_url');
    await drop('imported_keys_revision');
    const { status, body } = await service.ask('POST', '', { id: 'film', name: 'x', playlistUrl: null });
    expect([status, body.content.playlistUrl]).toEqual([201, null]);
    expect((await service.ask('PATCH', '/film', { playlistUrl: url })).status).toBe(503);
    const state = { status: 'active', keyVersion: 1, keyPeriods: null };
    expect(await service.reader.findContent('film')).toEqual(state);
    expect(await service.reader.findContents(['film'])).toHaveLength(1);
  });

  test('before migration 0015 contents are registered, and a packager may only tighten the periods of any', async () => {
    await drop('registrant_scope');
    expect(await registerAsPackager(sequence)).toBe(201);
    expect(await registerAsPackager(sequence)).toBe(200);
    expect(await registerAsPackager(null)).toBe(403);
  });

  test('a content from before migration 0015 counts as one of others for a packager', async () => {
    await registerAsPackager(sequence);
    await database.db.updateTable('contents').set({ registrant_scope: null }).execute();
    expect(await registerAsPackager(sequence)).toBe(200);
    expect(await registerAsPackager(null)).toBe(403);
  });
});
