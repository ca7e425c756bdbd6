import { type Kysely, sql } from 'kysely';
import type { DatabaseSize } from '../contracts/index.ts';
import { isPostgres } from './is-postgres.ts';

/** How much room the database takes. On SQLite without its journal. */
export async function readDatabaseSize<DB>(db: Kysely<DB>): Promise<DatabaseSize> {
  const isOnPostgres = isPostgres(db);
  const query = isOnPostgres
    ? sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`
    : sql<{
        bytes: number;
      }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
  const { rows } = await query.execute(db);
  return { kind: isOnPostgres ? 'Postgres' : 'SQLite', bytes: Number(rows[0]?.bytes) };
}
