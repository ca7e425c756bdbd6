import {
  type AllowedScan,
  databaseKinds,
  fillLists,
  findUnboundedScans,
  planQueries,
  type TestDatabase,
} from '@latchkey/shared/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseStates } from './lease.ts';
import { LeaseStore } from './lease-store.ts';

const now = Date.UTC(2027, 0, 1);
const selectors = {
  'all leases': { viewerId: null, contentId: null },
  'those of a viewer': { viewerId: 'viewer-21', contentId: null },
  'those of a content that half of them are for': { viewerId: null, contentId: 'content-0' },
  'those of a content that few are for': { viewerId: null, contentId: 'content-77' },
  'those of a viewer and a content': { viewerId: 'viewer-21', contentId: 'content-0' },
};
/** One more than a page, which tells whether there is another one. */
const limit = 101;
/** Walks through what is asked for, in its order, and stops at the limit. */
const newest: AllowedScan[] = [
  { index: 'leases_by_created_at_id', entriesAtMost: limit },
  { index: 'leases_open_by_created_at', entriesAtMost: limit },
  { index: 'leases_revoked_by_created_at', entriesAtMost: limit },
];
/** Where every second entry is asked for, it stops soon. */
const everySecond: AllowedScan[] = [{ index: 'leases_revoked_by_created_at', entriesAtMost: 4 * limit }];
const allowedScans: Partial<Record<string, AllowedScan[]>> = {
  'all leases': newest,
  'those of a content that half of them are for': everySecond,
};

describe.each(databaseKinds(process.env))('among many leases on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    await fillLists(opened.db, { apiKeys: 10, contents: 10, leases: 100_000, auditRows: 10 }, now);
  });
  afterAll(() => opened.close());

  it.each(Object.entries(selectors))(
    'a list and a count of %s walk through no table, and through an index no further than a page',
    async (what, selector) => {
      const plans = await planQueries(opened.db, async (db) => {
        const store = new LeaseStore(db);
        await store.countActive(selector, now);
        for (const state of [null, ...leaseStates]) {
          for (const after of [null, { at: now - 80_000_000, id: 'x' }])
            await store.list({ ...selector, state }, now, limit, after);
        }
      });
      expect(plans).toHaveLength(9);
      expect(findUnboundedScans(plans, allowedScans[what] ?? [])).toEqual([]);
    },
  );

  it.each([
    ['all leases', { viewerId: null, contentId: null }, 'leases_open_by_expires_at'],
    [
      'those of a viewer with a twentieth of them',
      { viewerId: 'viewer-0', contentId: null },
      'leases_open_by_viewer_id',
    ],
    [
      'those of a content with half of them',
      { viewerId: null, contentId: 'content-0' },
      'leases_open_by_content_id',
    ],
  ])('of %s the active ones are counted by an index alone', async (_, selector, index) => {
    const [plan] = await planQueries(opened.db, (db) => new LeaseStore(db).countActive(selector, now));
    expect(plan?.steps.join()).toMatch(new RegExp(`(COVERING INDEX|Index Only Scan leases by) ${index}`));
  });
});
