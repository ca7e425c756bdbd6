import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

export class ConcurrentAdapter extends SqliteAdapter {
  /** Kysely would give a connection to one caller at a time, until the end of its statement. The drivers here take turns themselves. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /**
   * Kysely says no, because a few pragmas do not work within a transaction (kysely-org/kysely#56). Every statement that
   * makes or changes a table does (sqlite.org/lang_transaction.html).
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** SQLite for Kysely by a driver that takes turns itself. */
export function createConcurrentDialect(driver: Driver, adapter: ConcurrentAdapter): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

/** The part of a connection that no statement here uses. */
export const wholeRows: Pick<DatabaseConnection, 'streamQuery'> = {
  streamQuery() {
    throw new Error('rows of SQLite are read at once');
  },
};
