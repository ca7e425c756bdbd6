import { type Kysely, sql } from 'kysely';
import type { DatabaseSize } from '../contracts/index.ts';
import { isPostgres } from './is-postgres.ts';

/** How much room the database takes. On SQLite without its journal. */
export async function readDatabaseSize<DB>(db: Kysely<DB>): Promise<DatabaseSize> {
  if (isPostgres(db)) {
    const { rows } = await sql<{
      bytes: string;
    }>`select pg_database_size(current_database()) as bytes`.execute(db);
    return { kind: 'Postgres', bytes: Number(rows[0]?.bytes) };
  }
  const { rows } = await sql<{
    bytes: number;
  }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(db);
  return { kind: 'SQLite', bytes: Number(rows[0]?.bytes) };
}
