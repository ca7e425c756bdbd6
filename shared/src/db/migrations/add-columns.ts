import type { ColumnDataType } from 'kysely';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../is-postgres.ts';

/**
 * Adds those nullable columns that do not exist yet. SQLite runs a migration outside of a transaction, so an interrupted
 * one runs again from its beginning, and SQLite has no `add column if not exists`.
 */
export async function addColumns(
  db: Kysely<unknown>,
  table: string,
  columns: Readonly<Record<string, ColumnDataType>>,
): Promise<void> {
  const present = isPostgres(db) ? [] : await readSqliteColumns(db, table);
  for (const [name, type] of Object.entries(columns)) {
    if (present.includes(name)) continue;
    try {
      await db.schema.alterTable(table).addColumn(name, type).execute();
    } catch (error) {
      // Two first runs at once on SQLite, which takes no lock for a migration: the other one has added the column
      // meanwhile.
      if (isPostgres(db) || !(await readSqliteColumns(db, table)).includes(name)) throw error;
    }
  }
}

async function readSqliteColumns(db: Kysely<unknown>, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db);
  return rows.map(({ name }) => name);
}
