import { databaseKinds } from '@latchkey/shared/testing';
import { describe, expect, it } from 'vitest';
import { addAuditRows } from './audit.fixture.ts';
import { exportAudit, toCsvLine } from './export-audit.ts';

describe('a line of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ])('a CSV cell that a spreadsheet would run as a formula becomes text: %j', (cell, written) => {
    expect(toCsvLine([cell])).toBe(`${written}\r\n`);
  });

  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ['1-1=0', '1-1=0'],
    [null, ''],
  ])('a CSV cell is quoted as RFC 4180 says: %j', (cell, written) => {
    expect(toCsvLine([cell, 'end'])).toBe(`${written},end\r\n`);
  });
});

describe.each(databaseKinds(process.env))('an export on $name', (kind) => {
  async function openAudit(rows: number) {
    const opened = await kind.open();
    const refused = { actor_kind: 'viewer', outcome: 'refused' };
    await addAuditRows(
      opened.db,
      Array.from({ length: rows }, (_, n) => ({ ...refused, at: n })),
    );
    return opened;
  }

  it('an export of the audit reads no page before the client has read the one before', async () => {
    const { db, close } = await openAudit(1_203);
    let queries = 0;
    const counted = db.withPlugin({
      transformQuery: ({ node }) => {
        // The check for the table of a pending migration is plain SQL, so it is not counted.
        if (node.kind === 'SelectQueryNode') queries++;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const pieces = exportAudit(counted, {}, 'jsonl');
    await pieces.next();
    expect(queries).toBe(1);
    await pieces.return();
    expect([queries, (await pieces.next()).done]).toEqual([1, true]);
    await close();
  });

  it('a CSV export without a matching row has only the names of its columns', async () => {
    const { db, close } = await openAudit(1);
    const pieces: string[] = [];
    for await (const piece of exportAudit(db, { outcome: 'done' }, 'csv')) pieces.push(piece);
    expect(pieces).toEqual([
      'id,at,actor_kind,actor_id,action,target,client_ip,request_id,outcome,code,affected,count,details,person\r\n',
    ]);
    await close();
  });
});
