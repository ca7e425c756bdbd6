import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addAuditRows } from './audit.fixture.ts';
import { type AuditFilter, countAuditRows } from './audit-store.ts';
import { listAuditRows } from './list-audit.ts';

const hourMs = 3_600_000;
const base = Date.UTC(2026, 5, 1);

describe.each(databaseKinds(process.env))('the audit store on $name', (kind) => {
  let opened: TestDatabase;
  beforeEach(async () => {
    opened = await kind.open();
  });
  afterEach(() => opened.close());

  const add = (
    fields: Partial<Record<'actor_kind' | 'actor_id' | 'target' | 'outcome', string>>,
    at = base,
  ) => addAuditRows(opened.db, [{ at, actor_kind: 'viewer', ...fields }]);
  const numbers = async (filter: AuditFilter, limit = 100) =>
    (await listAuditRows(opened.db, filter, { after: null, limit })).rows.map(({ number }) => number);

  it('the audit of a period includes rows of a machine whose clock was some minutes wrong', async () => {
    await add({}, base + 30 * 60_000);
    await add({}, base);
    await add({}, base + 5 * hourMs);
    await add({}, base + 5 * hourMs - 40 * 60_000);
    expect(await numbers({ from: base, to: base + 10 * 60_000 })).toEqual([2]);
    expect(await numbers({ from: base + 5 * hourMs - 60_000 })).toEqual([3]);
  });

  it('an actor in the filter is both an id and a kind, and each audit row comes once, newest first', async () => {
    await add({ actor_kind: 'viewer', actor_id: 'operator' });
    await add({ actor_kind: 'operator' });
    await add({ actor_kind: 'operator', actor_id: 'operator' });
    await add({ actor_kind: 'viewer', actor_id: 'somebody' });
    expect(await numbers({ actor: 'operator' })).toEqual([3, 2, 1]);
    expect(await numbers({ actor: 'operator' }, 2)).toEqual([3, 2]);
  });

  it('a rare combination of filters is found in pages that may be empty, in both orders, and each row once', async () => {
    const row = (_: unknown, n: number) => ({
      ...{ actor_kind: 'viewer', actor_id: `v${n % 7}` },
      // The rows that match both filters are the first, the last, and one between them.
      action: n % 9_999 === 0 || n % 2 === 0 ? 'lease.list' : 'lease.read',
      outcome: n % 9_999 === 0 || n % 2 === 1 ? 'refused' : 'done',
    });
    await addAuditRows(opened.db, Array.from({ length: 20_000 }, row));
    // A page ends after 8,000 rows of the rarer filter, which has 10,000.
    for (const order of ['-at', 'at'] as const) {
      const pages: number[][] = [];
      for (let after: number | null = null; ; ) {
        const filter = { action: 'lease.list', outcome: 'refused' } as const;
        const page = await listAuditRows(opened.db, filter, { after, limit: 10, order });
        pages.push(page.rows.map(({ number }) => number));
        after = page.next;
        if (after === null) break;
      }
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flat()).toEqual(order === 'at' ? [1, 10_000, 19_999] : [19_999, 10_000, 1]);
    }
  });

  it('actions that are left out match nothing, alone and with other filters, and a page of few others ends early', async () => {
    const row = (_: unknown, n: number) => ({
      ...{ actor_kind: 'viewer', target: n % 2 === 0 ? 'a' : 'b' },
      action: n % 6_000 === 0 ? 'lease.revoke' : n % 3 === 0 ? 'lease.list' : 'lease.create',
    });
    await addAuditRows(opened.db, Array.from({ length: 12_001 }, row));
    const withoutActions = ['lease.list', 'lease.create'];
    const page = (after: number | null) => listAuditRows(opened.db, { withoutActions }, { after, limit: 10 });
    const first = await page(null);
    expect(first.rows.map(({ number }) => number)).toEqual([12_001, 6_001]);
    expect((await page(first.next)).rows.map(({ number }) => number)).toEqual([1]);
    expect(await numbers({ withoutActions: ['lease.create'], target: 'b' }, 2)).toEqual([11_998, 11_992]);
    expect(await countAuditRows(opened.db, { withoutActions })).toBeNull();
  });

  it('rows are counted up to 10,000, by one filter or by times, and not by several', async () => {
    for (let hour = 0; hour < 5; hour++) await add({ target: 'a' }, base + hour * hourMs);
    await add({ actor_kind: 'viewer', actor_id: 'operator' });
    await add({ actor_kind: 'operator' });
    const count = (filter: AuditFilter) => countAuditRows(opened.db, filter);
    expect(await count({})).toBe(7);
    expect(await count({ target: 'a' })).toBe(5);
    expect(await count({ actor: 'operator' })).toBe(2);
    expect(await count({ from: base + hourMs, to: base + 3 * hourMs })).toBe(2);
    expect(await count({ target: 'a', outcome: 'done' })).toBeNull();
    expect(await count({ target: 'a', from: base })).toBeNull();
  });
});
