import { databaseKinds, planQueries } from '@latchkey/shared/testing';
import { describe, expect, it } from 'vitest';
import { describeViewers } from './describe-viewers.ts';
import { insertLeases, openForEachTest } from './stored-leases.fixture.ts';

const now = Date.UTC(2027, 0, 1);

describe.each(databaseKinds(process.env))('the facts of viewers on $name', (kind) => {
  const database = openForEachTest(kind);
  const all = { now, within: undefined };

  it('the facts come from the leases, marks, block and usage of each viewer, in the requested order', async () => {
    await insertLeases(database.db, 4, (n) => ({
      viewer_id: n < 3 ? 'ann' : 'bob',
      device_id: ['tv', 'tv', 'phone', null][n] ?? null,
      created_at: now - 90 + n,
      renewed_at: n === 0 ? now - 20 : null,
      expires_at: n === 1 ? now : now + 60_000,
    }));
    await database.db
      .insertInto('marks')
      .values([1, 2].map((n) => ({ viewer_id: 'bob', content_id: `film-${n}`, marked_at: now - n })))
      .execute();
    const block = { viewer_id: 'new', blocked_at: now - 5, blocked_until: null, reason: 'shared' };
    await database.db.insertInto('viewer_blocks').values(block).execute();
    const counted = { span: 60, kind: 'viewer', at: now - 60_000, series: 'bob' };
    await database.db
      .insertInto('usage_counts')
      .values([
        { ...counted, requests: 'keys', served: 4, refused: 1 },
        { ...counted, requests: 'leases', served: 9, refused: 2 },
      ])
      .execute();
    expect(await describeViewers(database.db, ['new', 'ann', 'bob'], all)).toEqual([
      {
        ...{ viewerId: 'new', activeLeases: 0, devices: 0, lastSeenAt: null, markedAt: null, lastHour: null },
        block: { viewerId: 'new', blockedAt: now - 5, until: null, reason: 'shared' },
      },
      {
        ...{ viewerId: 'ann', activeLeases: 2, devices: 2, lastSeenAt: now - 20 },
        ...{ markedAt: null, block: null, lastHour: null },
      },
      {
        ...{ viewerId: 'bob', activeLeases: 1, devices: 0, lastSeenAt: now - 87 },
        ...{ markedAt: now - 1, block: null, lastHour: { served: 4, refused: 3 } },
      },
    ]);
  });

  it('a lease that a revocation covers is not active, also before its row is written', async () => {
    await insertLeases(database.db, 2, (n) => ({
      viewer_id: 'ann',
      created_at: now - n,
      expires_at: now + 9,
    }));
    await database.db
      .insertInto('revocations')
      .values({
        ...{ viewer_id: 'ann', content_id: '', created_after: 0, revoked_up_to: now - 1, expiring_after: 0 },
        ...{ revoked_at: now, finished_at: null },
      })
      .execute();
    expect(await describeViewers(database.db, ['ann'], all)).toMatchObject([{ activeLeases: 1 }]);
  });

  it('of a viewer with many leases the latest thousand are read, by an index', async () => {
    await insertLeases(database.db, 3_000, (n) => ({
      viewer_id: 'ann',
      device_id: `d${n}`,
      created_at: now - n,
      expires_at: now + 9,
    }));
    const plans = await planQueries(database.db, async (db) => {
      expect(await describeViewers(db, ['ann'], all)).toMatchObject([
        { activeLeases: 1_000, devices: 1_000 },
      ]);
    });
    expect(
      plans.flatMap(({ tableScans }) => tableScans.filter((step) => /SCAN leases|on leases/.test(step))),
    ).toEqual([]);
    expect(plans.map(({ steps }) => steps.join()).join()).toMatch(/leases_by_viewer_id_created_at_id/);
  });
});
