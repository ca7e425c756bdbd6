import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createOwnPostgres } from '../testing/own-postgres.ts';
import { createStatementNames } from './kept-statements.ts';
import type { Database } from './open.ts';
import { rowList } from './row-list.ts';
import { inTransaction } from './transaction.ts';

const url = process.env.TEST_POSTGRES_URL ?? '';

test.skipIf(url === '')(
  'a session of Postgres prepares a statement that takes its rows as one value once, and runs it for any number of rows and after a failure',
  async () => {
    const own = await createOwnPostgres(url);
    const db = own.open();
    await sql`create table turns (n bigint primary key)`.execute(db);
    const insert = (tx: Parameters<Parameters<typeof inTransaction>[1]>[0], numbers: number[]) =>
      sql`insert into turns select n from ${rowList(
        tx,
        { n: 'bigint' },
        numbers.map((n) => ({ n })),
      )} as given`.execute(tx);
    const prepared = await inTransaction(db, async (tx) => {
      await insert(tx, [1]);
      await insert(tx, [2, 3, 4]);
      const { rows } = await sql<{ name: string; statement: string; runs: number }>`
        select name, statement, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(tx);
      return rows;
    });
    expect(prepared).toMatchObject([{ statement: expect.stringContaining('insert into turns'), runs: 2 }]);
    await expect(inTransaction(db, (tx) => insert(tx, [5, 1]))).rejects.toMatchObject({ code: '23505' });
    // Postgres plans the statement again: the table has changed.
    await sql`alter table turns add column other text`.execute(db);
    await inTransaction(db, (tx) => insert(tx, [5, 6]));
    const { rows } = await sql<{ n: number }>`select n from turns order by n`.execute(db);
    expect(rows.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
    await db.destroy();
    await own.close();
  },
);

test.skipIf(url === '')(
  'a session plans its kept statements again, so that a plan from when a table was empty does not read all rows that it has since',
  async () => {
    const own = await createOwnPostgres(url);
    const db = own.open();
    await sql`create table turns (n bigint primary key)`.execute(db);
    // Postgres knows now that it is empty, and plans to read it from end to end.
    await sql`vacuum turns`.execute(db);
    await inTransaction(db, async (tx) => {
      const readAll = async (runs: number) => {
        const before = await countFullScans(tx);
        for (let run = 0; run < runs; run++)
          await sql`select turns.n from ${rowList(tx, { asked: 'bigint' }, [{ asked: 7 }])} as given
            cross join turns where turns.n = given.asked`.execute(tx);
        return (await countFullScans(tx)) - before;
      };
      expect(await readAll(10)).toBe(10);
      await sql`insert into turns select generate_series(1, 20000)`.execute(tx);
      expect(await readAll(10)).toBe(10);
      await readAll(100);
      expect(await readAll(10)).toBe(0);
    });
    await db.destroy();
    await own.close();
  },
);

async function countFullScans(tx: Database): Promise<number> {
  const { rows } = await sql<{ scans: number }>`
    select seq_scan as scans from pg_stat_xact_user_tables where relname = 'turns'`.execute(tx);
  return rows[0]?.scans ?? 0;
}

test('only texts that take rows as one value are kept, each by one name, and a bounded number of them', () => {
  const nameOf = createStatementNames();
  expect(nameOf('select * from leases where viewer_id = $1')).toBeUndefined();
  const names = Array.from({ length: 100 }, (_, n) => nameOf(`select ${n} from unnest($1)`));
  expect(new Set(names.slice(0, 64)).size).toBe(64);
  expect(names.slice(64)).toEqual(names.slice(64).map(() => undefined));
  expect(nameOf('select 7 from unnest($1)')).toBe(names[7]);
});
