import {
  databaseKinds,
  fillLists,
  findUnboundedScans,
  planQueries,
  type TestDatabase,
} from '@latchkey/shared/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKeyFilter } from './api-key-filter.ts';
import { apiKeyOrders, countApiKeys, countUnendingApiKeys, listApiKeys } from './api-key-store.ts';
import { type AuditFilter, countAuditRows } from './audit-store.ts';
import { auditOrders, listAuditRows } from './list-audit.ts';

const now = Date.UTC(2027, 0, 1);
const dayMs = 86_400_000;

const apiKeyFilters: ApiKeyFilter[] = [
  {},
  { search: 'workshop 77' },
  { search: 'lk_00001' },
  { status: 'active' },
  { status: 'revoked' },
  { status: 'expired' },
  { scope: 'admin' },
  { expires: 'never' },
  { expires: 'within-14-days' },
  { expires: 'never', status: 'active' },
  { expires: 'within-14-days', status: 'active' },
  { unusedDays: 90 },
  { search: '7', status: 'active', scope: 'full', expires: 'never', unusedDays: 30 },
];
/** How many there are in this test. An installation has some hundreds, so a search may go through all of them. */
const apiKeys = 20_000;
const pageSize = 501;
const allowedScans = [
  { index: 'api_keys_by_created_at_and_facts', entriesAtMost: apiKeys },
  { index: 'api_keys_by_created_at_id', entriesAtMost: pageSize },
  { index: 'api_keys_by_expiry_and_facts', entriesAtMost: apiKeys },
];
/** The total of an unfiltered audit counts this many, and no more. */
const newestRecords = [{ index: 'audit_pkey', entriesAtMost: 10_000 }];
const auditFilters: AuditFilter[] = [
  {},
  { action: 'lease.revoke' },
  { actor: 'key-3' },
  { actor: 'viewer' },
  { actor: 'bootstrap-key' },
  { outcome: 'done' },
  { outcome: 'refused' },
  { target: 'content-77' },
  { from: now - 20 * dayMs, to: now - 19 * dayMs },
  { to: now - 29 * dayMs },
  { action: 'lease.list', actor: 'viewer', outcome: 'done', target: 'content-7', from: now - 20 * dayMs },
  { action: 'content.update', outcome: 'refused', actor: 'viewer' },
  { withoutActions: ['lease.list', 'content.update'] },
  { withoutActions: ['lease.list'], target: 'content-77', from: now - 20 * dayMs },
];

const countSorts = (steps: readonly string[]) =>
  steps.filter((step) => /USE TEMP B-TREE FOR ORDER BY|^(Incremental )?Sort/.test(step)).length;

describe.each(databaseKinds(process.env))('on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    await fillLists(opened.db, { apiKeys, contents: 10, leases: 10, auditRows: 50_000 }, now);
  });
  afterAll(() => opened.close());

  it.each(apiKeyFilters)(
    'a list and a count among many API keys scan no table, and an index only within its bound: %o',
    async (filter) => {
      const plans = await planQueries(opened.db, async (db) => {
        for (const order of apiKeyOrders)
          for (const after of [null, { at: now - 300 * dayMs, id: 'x' }])
            await listApiKeys(db, filter, { now, limit: pageSize, after, order });
      });
      expect(plans).toHaveLength(8);
      expect(findUnboundedScans(plans, allowedScans)).toEqual([]);
      const counts = await planQueries(opened.db, (db) => countApiKeys(db, filter, now));
      expect(counts).toHaveLength(1);
      const all = { index: 'api_keys_by_created_at_id', entriesAtMost: apiKeys };
      expect(findUnboundedScans(counts, [...allowedScans, all])).toEqual([]);
    },
  );

  it.each(apiKeyOrders)('a list of all API keys by %s sorts no more than its page', async (order) => {
    const after = { at: now - 300 * dayMs, id: 'x' };
    const plans = await planQueries(opened.db, (db) =>
      listApiKeys(db, {}, { now, limit: pageSize, after, order }),
    );
    expect(plans.map(({ steps }) => countSorts(steps))).toEqual([1]);
  });

  it('the count of API keys that never expire reads only the rows that it counts', async () => {
    const plans = await planQueries(opened.db, countUnendingApiKeys);
    expect(plans).toHaveLength(1);
    expect(findUnboundedScans(plans, [])).toEqual([]);
  });

  it.each(auditFilters)(
    'a list of a long audit scans neither the table nor a whole index: %o',
    async (filter) => {
      const plans = await planQueries(opened.db, async (db) => {
        for (const order of auditOrders)
          for (const after of [null, 20_000]) await listAuditRows(db, filter, { after, limit: 100, order });
        await countAuditRows(db, filter);
      });
      expect(plans.length).toBeGreaterThanOrEqual(4);
      expect(findUnboundedScans(plans, newestRecords)).toEqual([]);
    },
  );
});
