import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveContents } from '../content-service.fixture.ts';

const url = 'https://cdn.example/film/master.m3u8?token=a%20b';
const playlistOrigins = ['https://cdn.example', 'http://origin.internal:8080'];

describe.each(databaseKinds(process.env))('playlistUrl on $name', ({ open }) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof serveContents>>;
  beforeEach(async () => {
    database = await open();
    service = await serveContents(database.db, { playlistOrigins });
  });
  afterEach(async () => {
    await service.app.close();
    await database.close();
  });
  const change = (playlistUrl: string | null) => service.ask('PATCH', '/film', { playlistUrl });

  test('the playlistUrl of a content is shown as it was given, reaches other services, and null clears it', async () => {
    const { body } = await service.ask('POST', '', { id: 'film', name: 'x', playlistUrl: url });
    expect(body.content.playlistUrl).toBe(url);
    expect((await service.ask('GET', '/film')).body.content.playlistUrl).toBe(url);
    expect((await service.ask('GET', '')).body.items[0].playlistUrl).toBe(url);
    expect(await service.reader.findContent('film')).toMatchObject({ playlistUrl: url });
    expect(await service.reader.findContents(['film'])).toMatchObject([{ playlistUrl: url }]);
    // Registering again without the member keeps it.
    await service.ask('POST', '', { id: 'film', name: 'y' });
    expect((await change('http://origin.internal:8080/a')).body.content.playlistUrl).toBe(
      'http://origin.internal:8080/a',
    );
    expect((await change(null)).body.content.playlistUrl).toBeNull();
    expect(await service.reader.findContent('film')).not.toHaveProperty('playlistUrl');
  });

  test('a change of playlistUrl is audited and names the content in the change feed', async () => {
    await service.ask('POST', '', { id: 'film', name: 'x' });
    const countChanges = async () => (await database.db.selectFrom('changes').selectAll().execute()).length;
    const before = await countChanges();
    await change(url);
    expect(await countChanges()).toBe(before + 1);
    const rows = await database.db
      .selectFrom('audit')
      .select(['action', 'outcome'])
      .orderBy('number')
      .execute();
    expect(rows.at(-1)).toEqual({ action: 'content.update', outcome: 'done' });
  });

  test('a playlistUrl of an origin that is not listed is refused with 400, and the refusal names PLAYLIST_ORIGINS', async () => {
    await service.ask('POST', '', { id: 'film', name: 'x' });
    const others = [
      'http://cdn.example/a',
      'https://cdn.example:8443/a',
      'https://cdn.example.evil.example/a',
    ];
    for (const other of [
      ...others,
      'https://evil.example/?https://cdn.example',
      'http://169.254.169.254/latest',
    ]) {
      const { status, body } = await change(other);
      expect([status, body.errors[0].path], other).toEqual([400, '/playlistUrl']);
      expect(body.errors[0].message).toContain('PLAYLIST_ORIGINS');
    }
    const unset = await serveContents(database.db);
    const { body } = await unset.ask('PATCH', '/film', { playlistUrl: url });
    expect(body.errors[0].message).toContain('PLAYLIST_ORIGINS');
    await unset.app.close();
    expect((await service.ask('GET', '/film')).body.content.playlistUrl).toBeNull();
  });

  test('a playlistUrl that is not an absolute http or https URL without credentials and fragment is refused with 400', async () => {
    await service.ask('POST', '', { id: 'film', name: 'x' });
    const wrong = [
      '',
      '/master.m3u8',
      '//cdn.example/a',
      'file:///etc/passwd',
      'data:text/plain,a',
      'ftp://cdn.example/',
    ];
    const hidden = [
      'https://user:pw@cdn.example/a',
      'https://cdn.example@evil.example/',
      'https://cdn.example/a#b',
    ];
    const odd = [
      'https://cdn.example/a b',
      'https://cdn.example/\n',
      'https://cdn.example/\u0000',
      'https://',
    ];
    for (const text of [...wrong, ...hidden, ...odd, `${url}${'x'.repeat(2_048)}`]) {
      const { status, body } = await change(text);
      expect([status, body.errors[0].path], text).toEqual([400, '/playlistUrl']);
    }
  });
});

// The schema of the release before: an upgrade may start the new processes before it migrates.
test.each(databaseKinds(process.env))(
  'before migration 0007 on $name, contents are registered and changed without playlistUrl, and one is refused with 503',
  async ({ open }) => {
    const database = await open();
    for (const column of ['playlist_url', 'imported_keys_revision'])
      await database.db.schema.alterTable('contents').dropColumn(column).execute();
    const service = await serveContents(database.db, { playlistOrigins });
    const { status, body } = await service.ask('POST', '', { id: 'film', name: 'x', playlistUrl: null });
    expect([status, body.content.playlistUrl]).toEqual([201, null]);
    expect((await service.ask('PATCH', '/film', { playlistUrl: url })).status).toBe(503);
    expect(await service.reader.findContent('film')).toEqual({
      status: 'active',
      keyVersion: 1,
      keyPeriods: null,
    });
    expect(await service.reader.findContents(['film'])).toHaveLength(1);
    await service.app.close();
    await database.close();
  },
);
