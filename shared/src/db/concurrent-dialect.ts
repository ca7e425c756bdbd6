import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** Kysely would give a connection of SQLite to one caller at a time, until the end of its statement. The drivers here take turns themselves. */
export class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
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
