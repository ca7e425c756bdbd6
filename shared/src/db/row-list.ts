import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './is-postgres.ts';

type ColumnType = 'text' | 'bigint';
type Values<C extends Record<string, ColumnType>> = {
  [K in keyof C]: (C[K] extends 'text' ? string : number) | null;
};

/**
 * Rows of the caller as a table in a statement, with their position as `place` (from 0). The text of the statement does not
 * depend on their number: each text is compiled once and kept, and `values (…), (…)` would be another one for each number.
 *
 * @param columns the type of each column
 */
export function rowList<C extends Record<string, ColumnType>, Row extends Values<C>>(
  db: QueryExecutorProvider,
  columns: C,
  rows: readonly Row[],
): RawBuilder<Row & { place: number }> {
  const names = Object.keys(columns) as (keyof C & string)[];
  return isPostgres(db) ? fromArrays(columns, names, rows) : fromJson(names, rows);
}

function fromArrays<C extends Record<string, ColumnType>, Row extends Values<C>>(
  columns: C,
  names: readonly (keyof C & string)[],
  rows: readonly Row[],
): RawBuilder<Row & { place: number }> {
  const arrays = names.map(
    (name) => sql`${rows.map((row) => row[name])}::${sql.raw(columns[name] ?? 'text')}[]`,
  );
  const refs = sql.join(names.map((name) => sql.ref(name)));
  return sql`(select ${refs}, ordinality - 1 as place
    from unnest(${sql.join(arrays)}) with ordinality as given(${refs}, ordinality))`;
}

function fromJson<C extends Record<string, ColumnType>, Row extends Values<C>>(
  names: readonly (keyof C & string)[],
  rows: readonly Row[],
): RawBuilder<Row & { place: number }> {
  const json = JSON.stringify(rows.map((row) => names.map((name) => row[name])));
  const values = names.map((name, n) => sql`value ->> ${sql.lit(n)} as ${sql.ref(name)}`);
  return sql`(select ${sql.join(values)}, key as place from json_each(${json}))`;
}
