import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../open.ts';
import { addColumns } from './add-columns.ts';

test('a column that another process adds between the check and the change is not an error', async () => {
  const db = openDatabase({ sqlitePath: ':memory:' });
  await db.schema.createTable('things').addColumn('a', 'text').execute();
  // Both have looked before either has added anything: they share one connection, and take turns at each statement.
  await Promise.all([1, 2].map(() => addColumns(db as never, 'things', { history: 'text', more: 'text' })));
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info('things')`.execute(db);
  expect(rows.map(({ name }) => name)).toEqual(['a', 'history', 'more']);
  await db.destroy();
});
