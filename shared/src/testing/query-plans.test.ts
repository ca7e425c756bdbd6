import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillLists } from './fill-lists.ts';
import { findUnboundedScans, planQueries } from './query-plans.ts';
import { databaseKinds, type TestDatabase } from './test-database.ts';

describe.each(databaseKinds(process.env))('on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    await fillLists(opened.db, { apiKeys: 5_000, contents: 10, leases: 10, auditRows: 10 }, Date.UTC(2027));
  });
  afterAll(() => opened.close());

  it('a query without an index is found to read the whole table', async () => {
    const [plan] = await planQueries(opened.db, (db) =>
      db.selectFrom('api_keys').select('last_used_at').where('last_used_at', '=', 5).execute(),
    );
    expect(plan?.tableScans).toHaveLength(1);
  });

  it('a scan of a whole index is found, unless it is allowed with as many entries', async () => {
    const plans = await planQueries(opened.db, (db) =>
      db
        .selectFrom('api_keys')
        .select('id')
        .where('name', 'like', '%nobody%')
        .orderBy('created_at')
        .execute(),
    );
    const index = 'api_keys_by_created_at_and_facts';
    expect(findUnboundedScans(plans, [])).toHaveLength(1);
    expect(findUnboundedScans(plans, [{ index, entriesAtMost: 5_000 }])).toEqual([]);
    // SQLite does not count the entries, so there it is the name alone that allows it.
    const tooFew = findUnboundedScans(plans, [{ index, entriesAtMost: 4_999 }]);
    expect(tooFew).toEqual(kind.name === 'SQLite' ? [] : [`${index}: 5000 entries`]);
  });

  it('a search by a key is not reported, and a subquery does not count as a query', async () => {
    const plans = await planQueries(opened.db, (db) =>
      db
        .selectFrom('api_keys')
        .select('name')
        .where('id', 'in', db.selectFrom('api_keys').select('id').where('id', '=', 'x'))
        .execute(),
    );
    expect(plans).toHaveLength(1);
    expect(plans[0]?.tableScans).toEqual([]);
  });
});
