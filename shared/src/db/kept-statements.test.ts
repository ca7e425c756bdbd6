import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createOwnPostgres } from '../testing/own-postgres.ts';
import { createStatementNames } from './kept-statements.ts';
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

test('only texts that take rows as one value are kept, each by one name, and a bounded number of them', () => {
  const nameOf = createStatementNames();
  expect(nameOf('select * from leases where viewer_id = $1')).toBeUndefined();
  const names = Array.from({ length: 100 }, (_, n) => nameOf(`select ${n} from unnest($1)`));
  expect(new Set(names.slice(0, 64)).size).toBe(64);
  expect(names.slice(64)).toEqual(names.slice(64).map(() => undefined));
  expect(nameOf('select 7 from unnest($1)')).toBe(names[7]);
});
