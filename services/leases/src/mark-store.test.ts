import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLeaseReader } from './lease-reader.ts';
import { MarkStore } from './mark-store.ts';

describe.each(databaseKinds(process.env))('MarkStore on $name', ({ open }) => {
  let database: TestDatabase;
  let store: MarkStore;

  beforeEach(async () => {
    database = await open();
    store = new MarkStore(database.db);
  });
  afterEach(() => database.close());

  it('without a mark, none is found', async () => {
    expect(await store.findLatest('ann', 'film')).toBeNull();
  });

  it('the latest mark of the viewer, the content and the pair is found, and no other', async () => {
    await store.mark({ viewerId: 'ann', contentId: null }, 10);
    await store.mark({ viewerId: null, contentId: 'film' }, 20);
    await store.mark({ viewerId: 'ann', contentId: 'film' }, 30);
    expect(await store.findLatest('ann', 'film')).toBe(30);
    expect(await store.findLatest('ann', 'series')).toBe(10);
    expect(await store.findLatest('bob', 'film')).toBe(20);
    expect(await store.findLatest('bob', 'series')).toBeNull();
  });

  it('a mark never moves back', async () => {
    await store.mark({ viewerId: 'ann', contentId: null }, 20);
    await store.mark({ viewerId: 'ann', contentId: null }, 10);
    expect(await store.findLatest('ann', 'film')).toBe(20);
    await store.mark({ viewerId: 'ann', contentId: null }, 21);
    expect(await store.findLatest('ann', 'film')).toBe(21);
  });

  it('the purge removes old marks, never more than the limit at once', async () => {
    for (let n = 0; n < 5; n++) await store.mark({ viewerId: `v${n}`, contentId: 'film' }, n);
    await store.mark({ viewerId: 'kept', contentId: null }, 100);
    expect(await store.purge(100, 3)).toBe(3);
    expect(await store.purge(100, 3)).toBe(2);
    expect(await store.findLatest('kept', 'film')).toBe(100);
  });

  it('the database is not asked for a malformed lease id', async () => {
    const reader = createLeaseReader({ db: database.db, renewGraceSeconds: 30 });
    await database.close();
    expect(await reader.findLease("' or 1=1 --")).toBeNull();
    database = await open();
  });

  it('a mark is DEPENDENCY_UNAVAILABLE while the database does not answer', async () => {
    const reader = createLeaseReader({ db: database.db, renewGraceSeconds: 30 });
    await database.close();
    await expect(reader.findMark('ann', 'film')).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    database = await open();
  });
});
