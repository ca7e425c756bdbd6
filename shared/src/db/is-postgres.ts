import type { QueryExecutorProvider } from 'kysely';

/** Whether a database, or a transaction of it, is a Postgres and not a SQLite: of the two dialects only Postgres has this trait. */
export function isPostgres(db: QueryExecutorProvider): boolean {
  return db.getExecutor().adapter.supportsTransactionalDdl === true;
}
