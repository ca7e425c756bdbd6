import type { Database } from '@latchkey/shared/db';
import {
  type AllowedScan,
  databaseKinds,
  fillLists,
  findUnboundedScans,
  planQueries,
  type TestDatabase,
} from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseStatuses } from './lease.ts';
import { LeaseStore } from './lease-store.ts';
import { countListed, listLeases } from './list-leases.ts';

const now = Date.UTC(2027, 0, 1);
const selectors = {
  'all leases': { viewerId: null, contentId: null },
  'the leases of a viewer': { viewerId: 'viewer-21', contentId: null },
  'the leases of a content that half of them are for': { viewerId: null, contentId: 'content-0' },
  'the leases of a content that few are for': { viewerId: null, contentId: 'content-77' },
  'the leases of a viewer and a content': { viewerId: 'viewer-21', contentId: 'content-0' },
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
  'the leases of a content that half of them are for': everySecond,
};

/** Adds the revocations of a day, and two whose rows are being written. */
async function addRevocations(db: Database) {
  const row = (n: number) => ({
    viewer_id: n % 2 === 0 ? `gone-${n}` : '',
    content_id: n % 2 === 0 ? '' : `gone-${n}`,
    created_after: 0,
    revoked_up_to: now - 90_000_000,
    expiring_after: 0,
    revoked_at: now - 90_000_000,
    finished_at: now as number | null,
  });
  for (let start = 0; start < 20_000; start += 1_000)
    await db
      .insertInto('revocations')
      .values(Array.from({ length: 1_000 }, (_, n) => row(start + n)))
      .execute();
  const unfinished = { revoked_up_to: now, revoked_at: now, finished_at: null };
  await db
    .insertInto('revocations')
    .values([
      { ...row(0), ...unfinished, viewer_id: '', content_id: 'content-0' },
      { ...row(0), ...unfinished, viewer_id: 'viewer-0', content_id: '' },
    ])
    .execute();
}

/** A tenth of the leases are sessions. */
async function addSessions(db: Database) {
  await sql`insert into sessions (lease_id, secret_hash, ttl_ms, ends_at)
    select id, ${sql.lit('f'.repeat(64))}, 300000, expires_at from leases where id like '%0'`.execute(db);
  await sql`analyze`.execute(db);
}

describe.each(databaseKinds(process.env))('among many leases on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    await addRevocations(opened.db);
    await fillLists(opened.db, { apiKeys: 10, contents: 10, leases: 100_000, auditRows: 10 }, now);
    await addSessions(opened.db);
  });
  afterAll(() => opened.close());

  it.each(Object.entries(selectors))(
    'a list and a count of %s scan no table, and an index no further than a page',
    async (what, selector) => {
      const plans = await planQueries(opened.db, async (db) => {
        await new LeaseStore(db).countActive(selector, now);
        for (const state of [null, ...leaseStatuses]) {
          for (const after of [null, { at: now - 80_000_000, id: 'x' }])
            for (const order of ['-createdAt', 'createdAt'] as const)
              await listLeases({ db }, { ...selector, state, order }, now, limit - 1, after);
        }
      });
      expect(plans.length).toBeGreaterThan(32);
      expect(findUnboundedScans(plans, allowedScans[what] ?? [])).toEqual([]);
    },
  );

  it.each(Object.values(selectors))(
    'a total walks an index no further than it counts: %o',
    async (selector) => {
      const plans = await planQueries(opened.db, async (db) => {
        for (const state of [null, ...leaseStatuses]) await countListed(db, { ...selector, state }, now);
      });
      const counted = newest.map(({ index }) => ({ index, entriesAtMost: 10_000 }));
      expect(findUnboundedScans(plans, counted)).toEqual([]);
    },
  );

  it.each(['expiresAt', '-expiresAt'] as const)(
    'a list of active leases by %s reads the index of their expiry from now on',
    async (order) => {
      const filter = { viewerId: null, contentId: null, state: 'active', order } as const;
      const plans = await planQueries(opened.db, async (db) => {
        for (const after of [null, { at: now + 3_600_500, id: 'e' }])
          await listLeases({ db }, filter, now, limit - 1, after);
      });
      expect(findUnboundedScans(plans, [])).toEqual([]);
      const lists = plans.filter(({ sql: text }) => /order by "expires_at"/.test(text));
      expect(lists.length).toBeGreaterThanOrEqual(2);
      for (const { steps } of lists)
        expect(steps.join()).toMatch(/leases_open_by_expires_at|leases_by_expires_at/);
    },
  );

  it.each([
    ['all leases', { viewerId: null, contentId: null }, 'leases_open_by_expires_at'],
    [
      'the leases of a viewer with a twentieth of them',
      { viewerId: 'viewer-0', contentId: null },
      'leases_open_by_viewer_id',
    ],
    [
      'the leases of a content with half of them',
      { viewerId: null, contentId: 'content-0' },
      'leases_open_by_content_id',
    ],
  ])('the active ones among %s are counted by an index alone', async (_, selector, index) => {
    const [plan] = await planQueries(opened.db, (db) => new LeaseStore(db).countActive(selector, now));
    expect(plan?.steps.join()).toMatch(new RegExp(`(COVERING INDEX|Index Only Scan leases by) ${index}`));
  });
});
