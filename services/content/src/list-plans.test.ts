import { databaseKinds, fillLists, planQueries, type TestDatabase } from '@latchkey/shared/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContentFilter, insertContent, listContents } from './content-store.ts';

const filters: ContentFilter[] = [
  {},
  { status: 'disabled' },
  { status: 'active' },
  { search: 'part 777' },
  { search: 'FILM' },
  { search: 'nothing is called that' },
  { status: 'disabled', search: '77' },
];

describe.each(databaseKinds(process.env))('among many contents on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    const sizes = { apiKeys: 10, contents: 20_000, leases: 10, auditRows: 10 };
    await fillLists(opened.db, sizes, Date.UTC(2027, 0, 1));
  });
  afterAll(() => opened.close());

  it.each(filters)('no list and no count reads the whole table: %o', async (filter) => {
    const plans = await planQueries(opened.db, async (db) => {
      for (const offset of [0, 15_000]) await listContents(db, filter, { limit: 50, offset });
    });
    expect(plans).toHaveLength(4);
    expect(plans.filter(({ tableScans }) => tableScans.length > 0)).toEqual([]);
  });

  it('the longest name there can be is stored and found', async () => {
    // Each of these has three times as many octets once it is composed (Unicode Technical Report 15, table 3).
    const wide = ['\u{1D160}', '\u{1D161}', '\u{1D162}', '\u{1D163}', '\u{1D164}', '\u{1D1BC}', '\u{1D1C0}'];
    let seed = 1;
    const next = () => (seed = (seed * 48_271) % 2_147_483_647);
    const name = Array.from({ length: 200 }, () => wide[next() % wide.length]).join('');
    const content = {
      id: 'x'.repeat(256),
      name,
      status: 'active' as const,
      keyVersion: 1,
      sizeBytes: null,
      manifestKey: null,
      metadata: {},
      createdAt: Date.UTC(2027, 0, 2),
    };
    await opened.db.transaction().execute((tx) => insertContent(tx, content));
    const { contents, total } = await listContents(opened.db, { search: name }, { limit: 5, offset: 0 });
    expect([total, contents[0]?.name]).toEqual([1, name]);
  });
});
