import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keys, serveContents } from '../content-service.fixture.ts';

describe.each(databaseKinds(process.env))('the content API on $name', ({ open }) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof serveContents>>;
  beforeEach(async () => {
    database = await open();
    service = await serveContents(database.db);
  });
  afterEach(async () => {
    await service.app.close();
    await database.close();
  });

  const auditRows = () =>
    database.db
      .selectFrom('audit')
      .select(['actor_id', 'action', 'target', 'outcome', 'code'])
      .orderBy('number')
      .execute();

  describe('POST', () => {
    test('registering a content returns 201 with defaults, a UUID and a key endpoint', async () => {
      const { status, body } = await service.ask('POST', '', { name: '  A film ' });
      expect(status).toBe(201);
      const id = '00000000-0000-4000-8000-000000000001';
      expect(body).toEqual({
        content: {
          id,
          name: 'A film',
          status: 'active',
          keyVersion: 1,
          keyPeriods: null,
          sizeBytes: null,
          manifestKey: null,
          playlistUrl: null,
          metadata: {},
          createdAt: '2026-01-01T00:00:00.000Z',
          updatedAt: '2026-01-01T00:00:00.000Z',
        },
        key_endpoint: `/keys/${id}`,
      });
    });

    test('the key endpoint of a content is absolute if PUBLIC_URL is set, with or without its last slash', async () => {
      for (const [publicUrl, id] of [
        ['https://keys.example/base/', 'a'],
        ['https://keys.example/base', 'b'],
      ] as const) {
        const other = await serveContents(database.db, { publicUrl });
        const { body } = await other.ask('POST', '', { id, name: 'x' });
        expect(body.key_endpoint).toBe(`https://keys.example/base/keys/${id}`);
        await other.app.close();
      }
    });

    test('a new content gets the newest key version, and keeps it when it is registered again', async () => {
      await service.ask('POST', '', { id: 'old', name: 'x' });
      await database.db
        .insertInto('key_versions')
        .values({ version: 2, fingerprint: 'f', first_used_at: 1 })
        .execute();
      expect((await service.ask('POST', '', { id: 'new', name: 'x' })).body.content.keyVersion).toBe(2);
      const again = await service.ask('POST', '', { id: 'old', name: 'x' });
      expect([again.status, again.body.content.keyVersion]).toEqual([200, 1]);
    });

    test('registering a known id returns 200 and updates the given members, and a disabled content stays disabled', async () => {
      await service.ask('POST', '', { id: 'a', name: 'First', sizeBytes: 5, metadata: { kept: 1 } });
      await service.ask('DELETE', '/a');
      service.clock.advance(1_000);
      const { status, body } = await service.ask('POST', '', { id: 'a', name: 'Second', manifestKey: 'm' });
      expect(status).toBe(200);
      expect(body.content).toMatchObject({
        name: 'Second',
        sizeBytes: 5,
        metadata: { kept: 1 },
        manifestKey: 'm',
      });
      expect(body.content).toMatchObject({ status: 'disabled', createdAt: '2026-01-01T00:00:00.000Z' });
      expect(body.content.updatedAt).toBe('2026-01-01T00:00:01.000Z');
    });

    test('of many concurrent registrations of one id, one returns 201 and the others 200', async () => {
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, i) => service.ask('POST', '', { id: 'same', name: `${i}` })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(15).fill(200), 201]);
    });

    test.each([
      ['no name', {}, '/name'],
      ['an empty name', { name: ' ' }, '/name'],
      ['a name with a line break', { name: 'a\nb' }, '/name'],
      ['a name that is a number', { name: 5 }, '/name'],
      ['an unknown member', { name: 'x', colour: 'red' }, '/colour'],
      ['a status', { name: 'x', status: 'active' }, '/status'],
      ['a key version', { name: 'x', keyVersion: 2 }, '/keyVersion'],
      ['an id with a slash', { name: 'x', id: 'a/b' }, '/id'],
      ['the id leases', { name: 'x', id: 'leases' }, '/id'],
      ['an id of 257 characters', { name: 'x', id: 'a'.repeat(257) }, '/id'],
      ['an empty id', { name: 'x', id: '' }, '/id'],
      ['a null id', { name: 'x', id: null }, '/id'],
      ['a size that is text', { name: 'x', sizeBytes: '5' }, '/sizeBytes'],
      ['a negative size', { name: 'x', sizeBytes: -1 }, '/sizeBytes'],
      ['half a byte', { name: 'x', sizeBytes: 0.5 }, '/sizeBytes'],
      ['a size beyond 2^53', { name: 'x', sizeBytes: 2 ** 53 }, '/sizeBytes'],
      ['a long manifest key', { name: 'x', manifestKey: 'a'.repeat(1_025) }, '/manifestKey'],
      ['a manifest key with a NUL', { name: 'x', manifestKey: 'a\u0000' }, '/manifestKey'],
      ['metadata that is a list', { name: 'x', metadata: [] }, '/metadata'],
      ['metadata that is null', { name: 'x', metadata: null }, '/metadata'],
      ['large metadata', { name: 'x', metadata: { a: 'x'.repeat(16_384) } }, '/metadata'],
    ])('registering a content with %s returns 400', async (_, body, path) => {
      const answer = await service.ask('POST', '', body);
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path);
      expect((await service.ask('GET', '')).body.total).toBe(0);
    });
  });

  describe('GET the list', () => {
    test('the list of contents has pages, filters and a count', async () => {
      for (const id of ['a', 'b', 'c']) {
        await service.ask('POST', '', { id, name: `Film ${id}` });
        service.clock.advance(1);
      }
      await service.ask('DELETE', '/b');
      const ids = async (query: string) => {
        const { status, body } = await service.ask('GET', query, undefined, keys.playback);
        expect(status).toBe(200);
        return [body.items.map(({ id }: { id: string }) => id).join(''), body.total];
      };
      expect(await ids('')).toEqual(['cba', 3]);
      expect(await ids('?limit=1&offset=1')).toEqual(['b', 3]);
      expect(await ids('?status=active')).toEqual(['ca', 2]);
      expect(await ids('?q=FILM%20B')).toEqual(['b', 1]);
      expect(await ids('?q=%25')).toEqual(['', 0]);
    });

    test('the list of contents answers those of the given ids that there are, whatever their state', async () => {
      for (const id of ['a', 'b', 'c', 'd']) await service.ask('POST', '', { id, name: `Film ${id}` });
      await service.ask('DELETE', '/b');
      const { status, body } = await service.ask('GET', '?ids=b,c,a,gone,a', undefined, keys.playback);
      expect([status, body.total]).toEqual([200, 3]);
      expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['a', 'b', 'c']);
    });

    test.each([
      'ids=',
      'ids=a,,b',
      'ids=a%20b',
      `ids=${Array(101).fill('a')}`,
      'ids=a&prefix=a',
      'ids=a&q=a',
      'ids=a&offset=1',
    ])('the list of contents returns 400 for ?%s, which is no list of ids by itself', async (query) =>
      expect((await service.ask('GET', `?${query}`)).status).toBe(400),
    );

    test.each(['limit=0', 'limit=501', 'limit=x', 'limit=', 'limit=1&limit=2', 'offset=-1', 'offset=1e99'])(
      'the list of contents returns 400 for ?%s',
      async (query) => expect((await service.ask('GET', `?${query}`)).status).toBe(400),
    );

    test('the list of contents returns 400 for an unknown status, and names the known ones once', async () => {
      const { status, body } = await service.ask('GET', '?status=gone');
      expect([status, body.errors]).toEqual([
        400,
        [{ path: '/status', message: 'must be one of active, disabled' }],
      ]);
    });

    test.each([
      'limit=0x10',
      'limit=1e1',
      'offset=%201',
      'q=%00',
      'q=a&q=b',
      `q=${'x'.repeat(201)}`,
      'page=2',
    ])('the list of contents returns 400 for ?%s', async (query) =>
      expect((await service.ask('GET', `?${query}`)).status).toBe(400),
    );
  });

  describe('one content', () => {
    test('a content is shown as it was registered', async () => {
      const { body } = await service.ask('POST', '', { id: 'a', name: 'x', metadata: { a: [1] } });
      const found = await service.ask('GET', '/a', undefined, keys.playback);
      expect([found.status, found.body]).toEqual([200, body]);
    });

    test('PATCH changes any member of a content, and brings a disabled one back', async () => {
      await service.ask('POST', '', { id: 'a', name: 'x', sizeBytes: 5 });
      await service.ask('DELETE', '/a');
      const { status, body } = await service.ask('PATCH', '/a', { status: 'active', sizeBytes: null });
      expect([status, body.content.status, body.content.sizeBytes]).toEqual([200, 'active', null]);
    });

    test('PATCH of a content returns 400 for an empty or missing body, an id, and a name of white space', async () => {
      await service.ask('POST', '', { id: 'a', name: 'x' });
      for (const body of [{}, undefined, { id: 'b' }, { name: ' ' }, { status: null }]) {
        expect((await service.ask('PATCH', '/a', body)).status).toBe(400);
      }
    });

    test('DELETE disables a content, and a repeat does not change its time', async () => {
      await service.ask('POST', '', { id: 'a', name: 'x' });
      service.clock.advance(1_000);
      const first = await service.ask('DELETE', '/a');
      service.clock.advance(1_000);
      const second = await service.ask('DELETE', '/a');
      expect([first.status, first.body.content.status]).toEqual([200, 'disabled']);
      expect(second).toMatchObject({ status: 200, body: first.body });
    });

    test('an unknown or malformed content id returns 404', async () => {
      for (const id of ['none', 'leases', 'a%2Fb', 'a%00', `${'x'.repeat(257)}`, '%C3%A9']) {
        for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
          const answer = await service.ask(method, `/${id}`, body);
          expect([answer.status, answer.body.code], `${method} ${id}`).toEqual([404, 'CONTENT_NOT_FOUND']);
        }
      }
    });
  });

  test('the scope playback cannot write contents, and the scope upload can neither read nor write them', async () => {
    await service.ask('POST', '', { id: 'a', name: 'x' });
    for (const key of [keys.playback, keys.upload]) {
      const answers = [
        await service.ask('POST', '', { id: 'b', name: 'x' }, key),
        await service.ask('PATCH', '/a', { name: 'y' }, key),
        await service.ask('DELETE', '/a', undefined, key),
      ];
      for (const { status, body } of answers)
        expect([status, body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    }
    expect((await service.ask('GET', '/a', undefined, keys.upload)).status).toBe(403);
    expect((await service.ask('GET', '', undefined, keys.upload)).status).toBe(403);
    expect((await service.ask('GET', '/a', undefined, keys.admin)).body.content).toMatchObject({ name: 'x' });
  });

  test('every write of a content is audited, also a refused one', async () => {
    await service.ask('POST', '', { id: 'a', name: 'x' });
    await service.ask('POST', '', { id: 'a', name: 'y' });
    await service.ask('PATCH', '/a', { name: 'z' });
    await service.ask('DELETE', '/a');
    await service.ask('DELETE', '/a', undefined, keys.playback);
    await service.ask('PATCH', '/none', { name: 'z' });
    const done = { actor_id: 'id-of-full', target: 'a', outcome: 'done', code: null };
    expect(await auditRows()).toEqual([
      { ...done, action: 'content.create' },
      { ...done, action: 'content.update' },
      { ...done, action: 'content.update' },
      { ...done, action: 'content.disable' },
      {
        ...done,
        action: 'content.disable',
        actor_id: 'id-of-playback',
        outcome: 'refused',
        code: 'INSUFFICIENT_SCOPE',
      },
      { ...done, action: 'content.update', target: 'none', outcome: 'refused', code: 'CONTENT_NOT_FOUND' },
    ]);
  });

  test('every write of a content is in the change feed and in the event stream of the dashboard', async () => {
    const events: string[] = [];
    service.bus.subscribe((message) => {
      if (message.type === 'notice' && message.notice.topic === 'content') events.push(message.notice.event);
    });
    await service.ask('POST', '', { id: 'a', name: 'x' });
    await service.ask('PATCH', '/a', { name: 'y' });
    await service.ask('DELETE', '/a');
    await service.ask('PATCH', '/none', { name: 'y' });
    const changes = await database.db.selectFrom('changes').select('change').orderBy('number').execute();
    expect(changes.map(({ change }) => JSON.parse(change))).toEqual(
      Array(3).fill({ kind: 'content', contentId: 'a' }),
    );
    expect(events).toEqual(['created', 'updated', 'disabled']);
  });

  test('a cached state of a content is dropped before the answer of a write leaves: absent, active and disabled', async () => {
    const { contents } = service.authority;
    const cached = async () => {
      await contents.load('a');
      return contents.peek('a')?.value?.status ?? null;
    };
    expect(await cached()).toBeNull();
    await service.ask('POST', '', { id: 'a', name: 'x' });
    expect(contents.peek('a')).toBeUndefined();
    expect(await cached()).toBe('active');
    await service.ask('DELETE', '/a');
    expect(contents.peek('a')).toBeUndefined();
    expect(await cached()).toBe('disabled');
  });
});
