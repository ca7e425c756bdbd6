import { PostgresAdapter, type QueryExecutorProvider } from 'kysely';

/** Whether a database, or a transaction of it, is a Postgres and not a SQLite. */
export function isPostgres(db: QueryExecutorProvider): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
