import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keys, serveContents } from '../content-service.fixture.ts';

const playlistOrigins = ['https://cdn.example'];
const playlistUrl = 'https://cdn.example/film/master.m3u8';
const sequence = { mode: 'sequence', count: 100, periodSeconds: 6, burst: 20, speed: 2 };
const clock = { mode: 'clock', origin: '2026-01-01T00:00:00Z', periodSeconds: 10, ahead: 1, behind: 5 };

describe.each(databaseKinds(process.env))('a key with the scope packager on $name', ({ open }) => {
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
  const register = (members: Record<string, unknown>, key: string = keys.packager) =>
    service.ask('POST', '', { id: 'film', name: 'x', ...members }, key as typeof keys.full);
  const shown = async () => (await service.ask('GET', '/film')).body.content;

  test.each(['admin', 'full'] as const)(
    'a packager cannot lift or loosen the periods of a content that a key with the scope %s registered: 403',
    async (scope) => {
      await register({ keyPeriods: sequence }, keys[scope]);
      const before = await shown();
      for (const keyPeriods of [
        null,
        clock,
        { ...sequence, count: 101 },
        { ...sequence, burst: 21 },
        { ...sequence, speed: 3 },
        { ...sequence, periodSeconds: 1 },
        { ...sequence, pace: false },
        // Its default burst is larger.
        { mode: 'sequence', count: 100, periodSeconds: 6, speed: 2, burst: 1_000 },
      ]) {
        const { status, body, headers } = await register({ name: 'y', keyPeriods });
        expect([status, body.code, body.scope], JSON.stringify(keyPeriods)).toEqual([
          ...[403, 'INSUFFICIENT_SCOPE', 'admin full'],
        ]);
        expect(body.detail).toContain('only tighten its keyPeriods');
        expect(headers['www-authenticate']).toContain('insufficient_scope');
      }
      expect(await shown()).toEqual(before);
      const refused = await database.db
        .selectFrom('audit')
        .selectAll()
        .where('outcome', '=', 'refused')
        .execute();
      expect(refused.map(({ action, actor_id, code }) => ({ action, actor_id, code }))).toContainEqual({
        ...{ action: 'content.create', actor_id: 'id-of-packager', code: 'INSUFFICIENT_SCOPE' },
      });
    },
  );

  test('a packager cannot loosen the clock of a live content of others, by any of its members', async () => {
    await register({ keyPeriods: clock }, keys.full);
    for (const looser of [{ ahead: 2 }, { behind: 6 }, { behind: null }, { periodSeconds: 5 }])
      expect((await register({ keyPeriods: { ...clock, ...looser } })).status).toBe(403);
    expect((await register({ keyPeriods: { ...clock, origin: '2025-01-01T00:00:00Z' } })).status).toBe(403);
    expect((await register({ keyPeriods: { ...clock, ahead: 0, behind: 0 } })).status).toBe(200);
  });

  test('a packager may tighten the periods of a content of others, and state some where there are none', async () => {
    await register({}, keys.full);
    expect((await register({ keyPeriods: sequence })).body.content.keyPeriods).toMatchObject(sequence);
    // It did not register the content, so these are not its own now.
    expect((await register({ keyPeriods: null })).status).toBe(403);
    expect((await register({ keyPeriods: { ...sequence, count: 50, burst: 8 } })).status).toBe(200);
    expect((await shown()).keyPeriods).toMatchObject({ count: 50, burst: 8 });
  });

  test('a packager cannot set, change or clear the playlistUrl of a content of others: 403', async () => {
    await register({}, keys.full);
    expect((await register({ playlistUrl })).body).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    await register({ playlistUrl }, keys.full);
    for (const other of [null, `${playlistUrl}?b`]) {
      const { status, body } = await register({ playlistUrl: other });
      expect([status, body.detail]).toEqual([403, expect.stringContaining('not change its playlistUrl')]);
    }
    expect((await shown()).playlistUrl).toBe(playlistUrl);
  });

  test('a packager that registers a content of others again, with its values or without them, changes none: 200', async () => {
    await register({ keyPeriods: sequence, playlistUrl, sizeBytes: 7 }, keys.admin);
    expect((await register({ sizeBytes: 8 })).body.content).toMatchObject({ sizeBytes: 8, playlistUrl });
    expect((await register({ keyPeriods: sequence, playlistUrl })).status).toBe(200);
    expect((await shown()).keyPeriods).toMatchObject(sequence);
  });

  test('a packager changes periods and playlistUrl of a content that a packager registered, whoever changed it since', async () => {
    expect((await register({ keyPeriods: sequence, playlistUrl })).status).toBe(201);
    await register({ keyPeriods: { ...sequence, count: 7 } }, keys.full);
    for (const members of [{ keyPeriods: clock }, { keyPeriods: null }, { playlistUrl: null }])
      expect((await register(members)).body.content).toMatchObject(
        members.keyPeriods === clock ? {} : members,
      );
  });

  test('a content from before migration 0015 counts as one of others for a packager', async () => {
    await register({});
    await database.db.updateTable('contents').set({ registrant_scope: null }).execute();
    expect((await register({ keyPeriods: sequence })).status).toBe(200);
    expect((await register({ keyPeriods: null })).status).toBe(403);
  });

  test('a packager can neither change nor disable a content by the other routes, whoever registered it', async () => {
    await register({});
    for (const [method, body] of [
      ['PATCH', { keyPeriods: null }],
      ['PATCH', { status: 'active' }],
      ['DELETE'],
    ] as const)
      expect((await service.ask(method, '/film', body, keys.packager as typeof keys.full)).status).toBe(403);
    await service.ask('DELETE', '/film');
    expect((await register({})).body.content.status).toBe('disabled');
  });

  test('the scope that registered a content is shown to nobody', async () => {
    const { body } = await register({});
    expect(JSON.stringify([body, await shown()])).not.toMatch(/registrant/i);
  });
});

// The schema of the release before: an upgrade may start the new processes before it migrates.
test.each(databaseKinds(process.env))(
  'before migration 0015 on $name, contents are registered, and a packager may only tighten the periods of any',
  async ({ open }) => {
    const database = await open();
    await database.db.schema.alterTable('contents').dropColumn('registrant_scope').execute();
    const service = await serveContents(database.db);
    const register = (keyPeriods: unknown) =>
      service.ask('POST', '', { id: 'film', name: 'x', keyPeriods }, keys.packager as typeof keys.full);
    expect((await register(sequence)).status).toBe(201);
    expect((await register(sequence)).status).toBe(200);
    expect((await register(null)).status).toBe(403);
    await service.app.close();
    await database.close();
  },
);
