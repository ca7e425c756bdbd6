import { findMarkState } from '@latchkey/shared/db';
import { type AllowedScan, databaseKinds, findUnboundedScans, planQueries } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LeaseSelector } from './lease-selector.ts';
import type { Mark } from './mark.ts';
import { MarkStore } from './mark-store.ts';
import { removeOldest } from './remove-oldest.ts';
import { openForEachTest } from './stored-leases.fixture.ts';

describe.each(databaseKinds(process.env))('MarkStore on $name', (kind) => {
  const database = openForEachTest(kind);
  let store: MarkStore;

  beforeEach(() => {
    store = new MarkStore(database.db);
  });

  it('a mark never moves back', async () => {
    await store.mark({ viewerId: 'ann', contentId: null }, 20);
    await store.mark({ viewerId: 'ann', contentId: null }, 10);
    expect(await findMarkState(database.db, 'ann', 'film')).toBe(20);
    await store.mark({ viewerId: 'ann', contentId: null }, 21);
    expect(await findMarkState(database.db, 'ann', 'film')).toBe(21);
  });

  it('marks are listed newest first, page by page, by viewer, by content or all', async () => {
    const given = [
      { viewerId: 'ann', contentId: null, markedAt: 10 },
      { viewerId: null, contentId: 'film', markedAt: 20 },
      { viewerId: 'ann', contentId: 'film', markedAt: 20 },
      { viewerId: 'bob', contentId: 'film', markedAt: 20 },
      { viewerId: 'bob', contentId: 'series', markedAt: 30 },
    ];
    for (const { markedAt, ...named } of given) await store.mark(named, markedAt);
    const all = { viewerId: null, contentId: null };
    const walk = async (selector: LeaseSelector) => {
      const seen: Mark[] = [];
      for (let after: Mark | null = null; ; ) {
        const page: Mark[] = await store.list(selector, { limit: 2, after });
        seen.push(...page);
        after = page.at(-1) ?? null;
        if (!after) return seen;
      }
    };
    const sorted = (marks: Mark[]) => marks.map((mark) => JSON.stringify(mark)).sort();
    const listed = await walk(all);
    expect(listed.map(({ markedAt }) => markedAt)).toEqual([30, 20, 20, 20, 10]);
    expect(sorted(listed)).toEqual(sorted(given));
    expect(sorted(await walk({ ...all, viewerId: 'ann' }))).toEqual(sorted([given[0], given[2]] as Mark[]));
    expect(await walk({ ...all, contentId: 'film' })).toHaveLength(3);
    expect(await walk({ viewerId: 'bob', contentId: 'film' })).toEqual([given[3]]);
  });

  it('lifting a mark leaves the other marks of its viewer', async () => {
    const pair = { viewerId: 'ann', contentId: 'film' };
    await store.mark({ viewerId: 'ann', contentId: null }, 10);
    await store.mark(pair, 20);
    expect(await store.lift({ ...pair, markedAt: 20 })).toBe(true);
    expect(await findMarkState(database.db, 'ann', 'film')).toBe(10);
  });

  it('a page of marks reads no more rows than it shows, whatever names them', async () => {
    for (let start = 0; start < 5_000; start += 500)
      await database.db
        .insertInto('marks')
        .values(
          Array.from({ length: 500 }, (_, n) => ({
            viewer_id: (start + n) % 5 === 0 ? '' : `viewer-${start + n}`,
            content_id: `content-${(start + n) % 50}-${(start + n) % 5 === 0 ? n + start : ''}`,
            marked_at: start + n,
          })),
        )
        .execute();
    const all = { viewerId: null, contentId: null };
    const walks: AllowedScan[] = [
      // In addition to the page, the marks of the same instant as its last one.
      { index: 'marks_by_marked_at', entriesAtMost: 110 },
    ];
    const after = { viewerId: 'viewer-77', contentId: 'content-1-', markedAt: 2_000 };
    for (const [selector, allowed] of [
      [all, walks],
      [{ ...all, viewerId: 'viewer-21' }, []],
      [{ ...all, contentId: 'content-1-' }, []],
    ] as const)
      for (const from of [null, after]) {
        const plans = await planQueries(database.db, (db) =>
          new MarkStore(db).list(selector, { limit: 101, after: from }),
        );
        expect(findUnboundedScans(plans, [...allowed])).toEqual([]);
      }
  });

  it('the purge removes old marks, never more than the limit at once', async () => {
    for (let n = 0; n < 5; n++) await store.mark({ viewerId: `v${n}`, contentId: 'film' }, n);
    await store.mark({ viewerId: 'kept', contentId: null }, 100);
    expect(await removeOldest(database.db, 'marks', 100, 3)).toBe(3);
    expect(await removeOldest(database.db, 'marks', 100, 3)).toBe(2);
    expect(await findMarkState(database.db, 'kept', 'film')).toBe(100);
  });
});
