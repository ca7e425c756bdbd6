import { databaseKinds, fillLists, planQueries, type TestDatabase } from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RankedViewer, ViewerRank } from './rank-viewers.ts';
import { rankedLeases, rankViewers, viewerRanks } from './rank-viewers.ts';
import { insertLeases, openForEachTest } from './stored-leases.fixture.ts';

const now = Date.UTC(2027, 0, 1);
const minuteMs = 60_000;

describe.each(databaseKinds(process.env))('a rank of viewers on $name', (kind) => {
  const database = openForEachTest(kind);
  const rank = (by: ViewerRank, limit = 10, after: RankedViewer | null = null, prefix = '') =>
    rankViewers(database.db, by, { prefix, after, limit, now });
  const idsOf = (ranked: RankedViewer[]) => ranked.map(({ viewerId, value }) => [viewerId, value]);
  const addLeases = (
    rows: readonly { viewer: string; device?: string; at?: number; ends?: number; revoked?: true }[],
  ) =>
    insertLeases(database.db, rows.length, (n) => {
      const { viewer = '', device = null, at = now - 9, ends = now + 9, revoked } = rows[n] ?? {};
      return {
        viewer_id: viewer,
        device_id: device,
        created_at: at,
        expires_at: ends,
        ...(revoked && { revoked_at: now, revoked_by: 'management' }),
      };
    });
  const count = (viewer: string, at: number, served: number, refused: number, requests = 'keys') =>
    database.db
      .insertInto('usage_counts')
      .values({ span: 60, requests, kind: 'viewer', at, series: viewer, served, refused })
      .execute();

  it('leases are ranked by how many are active, by their devices and by the latest of them', async () => {
    await addLeases([
      { viewer: 'ann', device: 'tv', at: now - 50 },
      { viewer: 'ann', device: 'phone', at: now - 40, ends: now - 1 },
      { viewer: 'ann', device: 'phone', at: now - 30, revoked: true },
      { viewer: 'bob', at: now - 60 },
      { viewer: 'bob', device: 'tv', at: now - 20 },
      { viewer: 'eve', at: now - 10, ends: now - 1 },
    ]);
    expect(idsOf(await rank('-activeLeases'))).toEqual([
      ['bob', 2],
      ['ann', 1],
    ]);
    expect(idsOf(await rank('-devices'))).toEqual([
      ['ann', 2],
      ['bob', 1],
    ]);
    expect(idsOf(await rank('-lastSeenAt'))).toEqual([
      ['eve', now - 10],
      ['bob', now - 20],
      ['ann', now - 30],
    ]);
  });

  it('usage is ranked by the keys that were served and by all that was refused within the last hour', async () => {
    await count('ann', now - 2 * minuteMs, 5, 1);
    await count('ann', now - 9 * minuteMs, 5, 0);
    await count('bob', now - 2 * minuteMs, 7, 3, 'leases');
    await count('old', now - 70 * minuteMs, 99, 99);
    await count('', now - 2 * minuteMs, 99, 99);
    expect(idsOf(await rank('-served'))).toEqual([['ann', 10]]);
    expect(idsOf(await rank('-refused'))).toEqual([
      ['bob', 3],
      ['ann', 1],
    ]);
  });

  it('revocations are ranked by the latest mark or block that holds, marks of whole contents left out', async () => {
    const mark = (viewer_id: string, marked_at: number, content_id = '') => ({
      viewer_id,
      content_id,
      marked_at,
    });
    await database.db
      .insertInto('marks')
      .values([
        mark('ann', now - 30),
        mark('ann', now - 20, 'film'),
        mark('', now - 1, 'film'),
        mark('bob', now - 40),
      ])
      .execute();
    const block = (viewer_id: string, blocked_at: number, blocked_until: number | null) => ({
      ...{ viewer_id, blocked_at, blocked_until, reason: null },
    });
    await database.db
      .insertInto('viewer_blocks')
      .values([
        block('bob', now - 10, null),
        block('eve', now - 25, now + 9),
        block('over', now - 5, now - 1),
      ])
      .execute();
    expect(idsOf(await rank('-revokedAt'))).toEqual([
      ['bob', now - 10],
      ['ann', now - 20],
      ['eve', now - 25],
    ]);
  });

  it('each viewer is on one page, also among equals, in the order of bytes', async () => {
    await addLeases(['b', 'B', 'ä', 'a', 'ab'].map((viewer) => ({ viewer })));
    const seen: string[] = [];
    let after: RankedViewer | null = null;
    do {
      const page: RankedViewer[] = await rank('-activeLeases', 2, after);
      seen.push(...page.map(({ viewerId }) => viewerId));
      after = page.at(-1) ?? null;
    } while (after);
    expect(seen).toEqual(['B', 'a', 'ab', 'b', 'ä']);
    expect((await rank('-activeLeases', 9, null, 'a')).map(({ viewerId }) => viewerId)).toEqual(['a', 'ab']);
  });
});

/** The usage of two days: an hour of it is a small part. */
async function addUsage(db: TestDatabase['db']): Promise<void> {
  for (let minute = 0; minute < 2_880; minute += 20) {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({
      ...{ span: 60, requests: 'keys', kind: 'viewer', series: `viewer-${n % 50}`, served: 3, refused: 1 },
      at: now - (minute + Math.floor(n / 50)) * minuteMs,
    }));
    await db.insertInto('usage_counts').values(rows).execute();
  }
  await sql`analyze`.execute(db);
}

describe.each(databaseKinds(process.env))('among many leases on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    await fillLists(opened.db, { apiKeys: 1, contents: 1, leases: 100_000, auditRows: 1 }, now);
    await addUsage(opened.db);
  });
  afterAll(() => opened.close());

  it.each(viewerRanks)('%s reads no further than its bound', async (by) => {
    const plans = await planQueries(opened.db, (db) =>
      rankViewers(db, by, { prefix: '', after: null, limit: 51, now }),
    );
    // The ranked viewers are sorted as a whole, within the bound.
    const scanned = plans.flatMap(({ tableScans }) =>
      tableScans.filter((step) => /leases|marks|usage/.test(step)),
    );
    expect(scanned).toEqual([]);
    for (const { index, entries } of plans.flatMap(({ indexScans }) => indexScans)) {
      expect(index).toMatch(/leases_by_expires_at|marks_by_marked_at|viewer_blocks_by_blocked_at_viewer_id/);
      expect(entries ?? 0).toBeLessThanOrEqual(rankedLeases);
    }
  });
});
