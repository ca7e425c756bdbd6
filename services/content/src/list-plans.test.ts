import {
  type AllowedScan,
  databaseKinds,
  fillLists,
  findUnboundedScans,
  planQueries,
  type TestDatabase,
} from '@latchkey/shared/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ContentFilter,
  contentOrders,
  findContentsByBeginning,
  findContentsByIds,
  insertContent,
  listContents,
} from './content-store.ts';

/** How many there are in this test. */
const contents = 20_000;
// The total counts every entry of the smallest index; which one that is, is the database's choice.
const all: AllowedScan[] = [
  { index: 'contents_by_created_at_id', entriesAtMost: contents },
  { index: 'sqlite_autoindex_contents_1', entriesAtMost: contents },
];
// No index knows a part of a name: the index that holds the names is read, and not the table. It is some 10 ms for 100,000.
const text: AllowedScan[] = [
  { index: 'contents_by_created_at_and_text', entriesAtMost: contents },
  { index: 'contents_by_search_text', entriesAtMost: contents },
];
const filters: [ContentFilter, AllowedScan[]][] = [
  [{}, [...all, ...text]],
  [{ status: 'disabled' }, []],
  // By name, the index of names is walked up to the page.
  [{ status: 'active' }, text],
  [{ search: 'part 777' }, text],
  [{ search: 'FILM' }, text],
  [{ search: 'nothing is called that' }, text],
  [{ status: 'disabled', search: '77' }, []],
];

describe.each(databaseKinds(process.env))('among many contents on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    const sizes = { apiKeys: 10, contents, leases: 10, auditRows: 10 };
    await fillLists(opened.db, sizes, Date.UTC(2027, 0, 1));
  });
  afterAll(() => opened.close());

  it.each(filters)(
    'a list among many contents and its count read an index only within their bound: %o',
    async (filter, allowed) => {
      const plans = await planQueries(opened.db, async (db) => {
        for (const order of contentOrders)
          for (const offset of [0, 15_000]) await listContents(db, filter, { limit: 50, offset, order });
      });
      // Eight lists of two queries: the count, the page.
      expect(plans).toHaveLength(16);
      expect(findUnboundedScans(plans, allowed)).toEqual([]);
    },
  );

  it('contents whose name or id begins so are found by two short walks through indexes, however many there are', async () => {
    const { contents: found, total } = await findContentsByBeginning(opened.db, 'CONTENT-1999', 5);
    expect(found.map(({ id }) => id)).toEqual([]);
    const plans = await planQueries(opened.db, async (db) => {
      await findContentsByBeginning(db, 'content-1999', 5);
      await findContentsByBeginning(db, 'the', 5);
    });
    expect(total).toBe(0);
    expect(findUnboundedScans(plans, [])).toEqual([]);
    expect(plans.flatMap(({ steps }) => steps).join()).toMatch(/contents_by_search_text/);
    expect(
      (await findContentsByBeginning(opened.db, 'content-1999', 5)).contents.map(({ id }) => id),
    ).toEqual(['content-1999', 'content-19990', 'content-19991', 'content-19992', 'content-19993']);
    expect((await findContentsByBeginning(opened.db, 'THE LONG', 5)).total).toBe(1_000);
  });

  it('contents of given ids are read one by one through an index', async () => {
    const plans = await planQueries(opened.db, async (db) => {
      await findContentsByIds(db, ['content-7', 'content-19999', 'nothing']);
    });
    expect(findUnboundedScans(plans, [])).toEqual([]);
  });

  it('a content with the longest possible name is stored and found', async () => {
    // Each of these has three times as many bytes once it is composed (Unicode Technical Report 15, table 3).
    const wide = ['\u{1D160}', '\u{1D161}', '\u{1D162}', '\u{1D163}', '\u{1D164}', '\u{1D1BC}', '\u{1D1C0}'];
    let seed = 1;
    const next = () => (seed = (seed * 48_271) % 2_147_483_647);
    const name = Array.from({ length: 200 }, () => wide[next() % wide.length]).join('');
    const content = {
      ...{ id: 'x'.repeat(256), name, status: 'active' as const, keyVersion: 1, metadata: {} },
      ...{ keyPeriods: null, sizeBytes: null, manifestKey: null, playlistUrl: null },
      createdAt: Date.UTC(2027, 0, 2),
    };
    await opened.db.transaction().execute((tx) => insertContent(tx, content));
    const page = { limit: 5, offset: 0 };
    const { contents: found, total } = await listContents(opened.db, { search: name }, page);
    expect([total, found[0]?.name]).toEqual([1, name]);
  });
});
