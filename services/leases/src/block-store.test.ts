import { findMarkState } from '@latchkey/shared/db';
import { type AllowedScan, databaseKinds, findUnboundedScans, planQueries } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Block, type BlockPlace, BlockStore } from './block-store.ts';
import { MarkStore } from './mark-store.ts';
import { removeOldest } from './remove-oldest.ts';
import { openForEachTest } from './stored-leases.fixture.ts';

describe.each(databaseKinds(process.env))('BlockStore on $name', (kind) => {
  const database = openForEachTest(kind);
  let store: BlockStore;

  beforeEach(() => {
    store = new BlockStore(database.db);
  });

  const block = (viewerId: string, more: Partial<Block> = {}): Block => ({
    viewerId,
    blockedAt: 10,
    until: null,
    reason: null,
    ...more,
  });
  const stateOf = (viewerId: string) => findMarkState(database.db, viewerId, 'film');

  it('the state of a viewer has its latest mark and its block, and a block neither marks nor concerns another viewer', async () => {
    const marks = new MarkStore(database.db);
    await store.put(block('ann', { until: 99 }));
    expect(await stateOf('ann')).toEqual({ markedAt: null, blockedUntil: 99 });
    await marks.mark({ viewerId: 'ann', contentId: null }, 20);
    await marks.mark({ viewerId: null, contentId: 'film' }, 30);
    expect(await stateOf('ann')).toEqual({ markedAt: 30, blockedUntil: 99 });
    expect(await stateOf('bob')).toBe(30);
    await store.put(block('ann'));
    expect(await stateOf('ann')).toEqual({ markedAt: 30, blockedUntil: null });
    await store.lift('ann');
    expect(await stateOf('ann')).toBe(30);
  });

  it('a block that has ended is neither found nor listed, and one that is replaced is', async () => {
    await store.put(block('ann', { until: 100, reason: 'first' }));
    expect(await store.find('ann', 99)).toEqual(block('ann', { until: 100, reason: 'first' }));
    expect(await store.find('ann', 100)).toBeNull();
    expect(await store.list(100, { limit: 9, after: null })).toEqual([]);
    await store.put(block('ann', { blockedAt: 100 }));
    expect(await store.list(100, { limit: 9, after: null })).toEqual([block('ann', { blockedAt: 100 })]);
  });

  it('blocks are listed newest first, page by page, even blocks of the same instant', async () => {
    for (const [n, viewerId] of ['ann', 'bob', 'cid', 'dan', 'eve'].entries())
      await store.put(block(viewerId, { blockedAt: n === 0 ? 5 : 10 }));
    const seen: string[] = [];
    for (let after: BlockPlace | null = null; ; ) {
      const page: Block[] = await store.list(50, { limit: 2, after });
      seen.push(...page.map(({ viewerId }) => viewerId));
      after = page.at(-1) ?? null;
      if (!after) break;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    expect(seen.at(-1)).toBe('ann');
  });

  it('a page of blocks reads no more rows than it shows', async () => {
    for (let start = 0; start < 5_000; start += 500)
      await database.db
        .insertInto('viewer_blocks')
        .values(
          Array.from({ length: 500 }, (_, n) => ({
            viewer_id: `viewer-${start + n}`,
            blocked_at: start + n,
            blocked_until: null,
            reason: null,
          })),
        )
        .execute();
    const walks: AllowedScan[] = [{ index: 'viewer_blocks_by_blocked_at_viewer_id', entriesAtMost: 110 }];
    for (const after of [null, { viewerId: 'viewer-2000', blockedAt: 2_000 }]) {
      const plans = await planQueries(database.db, (db) =>
        new BlockStore(db).list(9_999, { limit: 101, after }),
      );
      expect(findUnboundedScans(plans, walks)).toEqual([]);
    }
  });

  it('the purge removes blocks that ended before, never more than the limit at once, and none without an end', async () => {
    for (let n = 0; n < 5; n++) await store.put(block(`v${n}`, { until: n }));
    await store.put(block('later', { until: 100 }));
    await store.put(block('always'));
    expect(await removeOldest(database.db, 'viewer_blocks', 100, 3)).toBe(3);
    expect(await removeOldest(database.db, 'viewer_blocks', 100, 3)).toBe(2);
    const kept = await store.list(0, { limit: 9, after: null });
    expect(kept.map(({ viewerId }) => viewerId).sort()).toEqual(['always', 'later']);
  });
});
