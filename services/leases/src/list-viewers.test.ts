import { databaseKinds, findUnboundedScans, planQueries } from '@latchkey/shared/testing';
import { describe, expect, it } from 'vitest';
import { listViewers } from './list-viewers.ts';
import { insertLeases, openForEachTest } from './stored-leases.fixture.ts';

describe.each(databaseKinds(process.env))('the search of viewers on $name', (kind) => {
  const database = openForEachTest(kind);
  const addLeases = (viewerIds: readonly string[], each = 1) =>
    insertLeases(database.db, viewerIds.length * each, (n) => ({
      viewer_id: viewerIds[Math.floor(n / each)] ?? '',
      created_at: n,
      expires_at: 9,
    }));
  const find = (prefix: string, limit = 10, after: string | null = null) =>
    listViewers(database.db, { prefix, limit, after });

  it('each viewer with the beginning is found once, in the order of bytes, page by page', async () => {
    const viewerIds = ['ab', 'a-b', 'aB', 'a b', 'A', 'ä', 'a', 'abc', 'b', 'a%b', 'a_b', 'a🎬'];
    await addLeases(viewerIds, 3);
    const expected = viewerIds
      .filter((id) => id.startsWith('a'))
      .sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
    expect(await find('a')).toEqual(expected);
    expect(await find('ab')).toEqual(['ab', 'abc']);
    expect(await find('a%')).toEqual(['a%b']);
    expect(await find('')).toHaveLength(10);
    const pages: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: string[] = await find('a', 2, after);
      pages.push(...page);
      after = page.at(-1) ?? null;
      if (after === null) break;
    }
    expect(pages).toEqual(expected);
    expect(await find('none')).toEqual([]);
  });

  it('a viewer with many leases costs one seek', async () => {
    await addLeases(['v1'], 5_000);
    await addLeases(Array.from({ length: 2_000 }, (_, n) => `w${n}`));
    const plans = await planQueries(database.db, (db) =>
      listViewers(db, { prefix: 'v', limit: 21, after: null }),
    );
    // The list of found viewers is as long as the answer, so a scan of it does not count.
    const scans = findUnboundedScans(plans, []).filter((scan) => /leases/.test(scan));
    expect(scans).toEqual([]);
    expect(plans.map(({ steps }) => steps.join()).join()).toMatch(/leases_by_viewer_id/);
    expect(await find('v')).toEqual(['v1']);
  });
});
