import { sql } from 'kysely';
import type { Database, Transaction } from './open.ts';
import type { Schema } from './schema.ts';

/** Tells whether a table of a migration that may still be pending is there. */
export interface TableCheck {
  isThere(db: Database | Transaction): Promise<boolean>;
}

/**
 * Code of a release runs on the schema before its own, and the migration may come while it runs. Another process uses the
 * table from that moment on, so "not there" is asked again each time: one small query, until the migration has run. A
 * table that is there stays.
 */
export function createTableCheck(table: keyof Schema): TableCheck {
  let wasThere = false;
  return {
    async isThere(db) {
      wasThere ||= await findTable(db, table);
      return wasThere;
    },
  };
}

async function findTable(db: Database | Transaction, table: string): Promise<boolean> {
  const isPostgres = db.getExecutor().adapter.supportsTransactionalDdl === true;
  const query = isPostgres
    ? sql`select 1 where to_regclass(${table}) is not null`
    : sql`select 1 from pragma_table_info(${table}) limit 1`;
  const { rows } = await query.execute(db);
  return rows.length > 0;
}
