import { sql } from 'kysely';
import type { Database } from '../open.ts';
import { rightsOf } from './grant-rights.ts';
import { rowServices } from './service-rights.ts';

/** Whether the role of this connection may read every column of the table. On SQLite, which has no roles, it always may. */
export async function mayRead(db: Database, table: string): Promise<boolean> {
  if (db.getExecutor().adapter.supportsTransactionalDdl !== true) return true;
  const { rows } = await sql<{ may: boolean | null }>`
    select has_table_privilege(to_regclass(${table}), 'select') as may`.execute(db);
  // Null: a pending migration has yet to make the table.
  return rows[0]?.may !== false;
}

/** Whether the role of this connection may read the tables of all services. */
export async function mayReadEveryTable(db: Database): Promise<boolean> {
  const tables = new Set(rowServices.flatMap((service) => Object.keys(rightsOf(service))));
  for (const table of tables) if (!(await mayRead(db, table))) return false;
  return true;
}
