import { sql } from 'kysely';
import { isPostgres } from './is-postgres.ts';
import type { Database, Transaction } from './open.ts';
import type { Schema } from './schema.ts';

/** Whether a table or a column of a migration that may be pending exists. */
export interface TableCheck {
  isThere(db: Database | Transaction): Promise<boolean>;
}

/**
 * A release's code also runs on the schema before its own, and the migration may come while it runs. Another process uses
 * the table from that moment on, so a missing table is looked for each time: one small query, until the migration has
 * run. The presence of a table is remembered.
 */
export function createTableCheck(table: keyof Schema): TableCheck {
  return createCheck(table, null);
}

/** Same for a column of a table that existed before. */
export function createColumnCheck<T extends keyof Schema>(
  table: T,
  column: keyof Schema[T] & string,
): TableCheck {
  return createCheck(table, column);
}

function createCheck(table: string, column: string | null): TableCheck {
  let wasThere = false;
  return {
    async isThere(db) {
      wasThere ||= await find(db, table, column);
      return wasThere;
    },
  };
}

async function find(db: Database | Transaction, table: string, column: string | null): Promise<boolean> {
  const query = isPostgres(db)
    ? sql`select 1 from pg_attribute where attrelid = to_regclass(${table}) and not attisdropped
        and (${column}::text is null or attname = ${column}) limit 1`
    : sql`select 1 from pragma_table_info(${table}) where ${column} is null or name = ${column} limit 1`;
  const { rows } = await query.execute(db);
  return rows.length > 0;
}

/**
 * Marks that the rows may come from an earlier time. Every process that follows the change feed then drops its cached
 * states. A restore that keeps server and tables, such as one of rows alone, cannot be detected otherwise.
 *
 * @returns whether the schema has the columns for the mark
 * @throws the database's error
 */
export async function renewFeedHistory(db: Database, randomId: () => string): Promise<boolean> {
  if (!(await createColumnCheck('change_counter', 'history').isThere(db))) return false;
  await db.updateTable('change_counter').set({ history: randomId() }).where('id', '=', 1).execute();
  return true;
}
