import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Content } from './content.ts';
import { createContentReader } from './content-reader.ts';
import { findContent, insertContent, listContents, updateContent } from './content-store.ts';

const page = { limit: 50, offset: 0 };
const first: Omit<Content, 'updatedAt'> = {
  ...{ id: 'first', name: 'The first', status: 'active', keyVersion: 1, metadata: {}, createdAt: 1_000 },
  ...{ keyPeriods: null, sizeBytes: null, manifestKey: null, playlistUrl: null },
};

describe.each(databaseKinds(process.env))('the content store on $name', ({ open }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await open();
  });
  beforeEach(() => database.db.deleteFrom('contents').execute());
  afterAll(() => database.close());

  const insert = (content: Partial<typeof first> & { id: string }) =>
    database.db.transaction().execute((tx) => insertContent(tx, { ...first, ...content }));
  const idsOf = async (search: string) => {
    const { contents, total } = await listContents(database.db, { search }, page);
    expect(total).toBe(contents.length);
    return contents.map(({ id }) => id);
  };

  test('a content is read back as it was written, also sizes beyond 32 bits and nested metadata', async () => {
    const content = {
      ...first,
      name: 'Ünïcode 🎬',
      sizeBytes: Number.MAX_SAFE_INTEGER,
      manifestKey: 'content/first/master.m3u8',
      playlistUrl: 'https://cdn.example/film/master.m3u8?a=b',
      metadata: { nested: { list: [1, null, 'é', { deep: true }] }, text: 'a\u0000b' },
      createdAt: 1_767_225_600_123,
    };
    expect(await insert(content)).toEqual({ ...content, updatedAt: content.createdAt });
    expect(await findContent(database.db, 'first')).toEqual({ ...content, updatedAt: content.createdAt });
  });

  test('contents are listed newest first, by id at equal times, and counted beyond the page', async () => {
    for (const [id, createdAt] of [
      ['b', 1],
      ['a', 2],
      ['c', 2],
    ] as const)
      await insert({ ...first, id, createdAt });
    const { contents, total } = await listContents(database.db, {}, { limit: 2, offset: 0 });
    expect(contents.map(({ id }) => id)).toEqual(['c', 'a']);
    expect(total).toBe(3);
    const rest = await listContents(database.db, {}, { limit: 2, offset: 2 });
    expect(rest.contents.map(({ id }) => id)).toEqual(['b']);
    expect(await listContents(database.db, {}, { limit: 2, offset: 99 })).toEqual({ contents: [], total: 3 });
  });

  test('a search finds part of the name or id of a content in any case, also beyond ASCII, and not its earlier name', async () => {
    await insert({ ...first, id: 'Summer_01', name: 'ÉTÉ à la mer' });
    await insert({ ...first, id: 'other', name: 'Winter' });
    for (const search of ['été', 'Été', 'e\u0301te\u0301', 'LA MER', 'summer_', 'MMER_01']) {
      expect(await idsOf(search), search).toEqual(['Summer_01']);
    }
    expect(await idsOf('')).toHaveLength(2);
    expect(await idsOf('nothing')).toEqual([]);
    await database.db.transaction().execute((tx) => updateContent(tx, 'Summer_01', { name: 'Renamed' }, 2));
    expect([await idsOf('renamed'), await idsOf('LA MER')]).toEqual([['Summer_01'], []]);
  });

  test('a search for contents takes the wildcards of LIKE literally', async () => {
    await insert({ ...first, id: 'plain', name: 'a b' });
    await insert({ ...first, id: 'odd', name: '100% a_b \\ c' });
    for (const search of ['%', '100%', 'a_b', '\\', '\\ ', '_b']) {
      expect(await idsOf(search), search).toEqual(['odd']);
    }
    expect(await idsOf("' or 1=1 --")).toEqual([]);
  });

  test('the reader of contents returns status, key version and playlist, null for an unknown id, and treats an unknown status as disabled', async () => {
    const reader = createContentReader(database);
    const playlistUrl = 'https://cdn.example/film/master.m3u8';
    await insert({ ...first, keyVersion: 3, playlistUrl });
    const state = { status: 'active', keyVersion: 3, keyPeriods: null, playlistUrl };
    expect(await reader.findContent('first')).toEqual(state);
    expect(await reader.findContents(['first'])).toEqual([expect.objectContaining(state)]);
    expect(await reader.findContent('none')).toBeNull();
    await database.db.updateTable('contents').set({ status: 'archived', playlist_url: null }).execute();
    const { playlistUrl: _, ...rest } = state;
    expect(await reader.findContent('first')).toEqual({ ...rest, status: 'disabled' });
  });
});
