import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely';
import { openPostgres } from './postgres-pool.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { createSqliteReader } from './sqlite-reader.ts';

export type Database = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;

export interface DatabaseOptions {
  /** `postgres://…`; where it is set, SQLite is not used. */
  databaseUrl?: string | undefined;
  /** The SQLite file; its folder is made where it is missing. `:memory:` for a database that ends with the process. */
  sqlitePath: string;
  /** Whether a statement may take as long as it needs: a migration may have to read every row. */
  longStatements?: boolean;
  /** How long a statement may wait for a connection to Postgres; 2 s where it is left out. */
  connectionTimeoutMs?: number;
  /** Called for connections that broke while idle, which no query reports. */
  onConnectionFault?: (error: Error) => void;
}

/** Opens Postgres where there is a URL, else SQLite. The code behind it is the same for both. */
export function openDatabase(options: DatabaseOptions): Database {
  if (options.databaseUrl) {
    const pool = openPostgres(options.databaseUrl, options.onConnectionFault ?? (() => {}), options);
    return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  }
  const { sqlitePath } = options;
  const file = openSqlite(sqlitePath);
  const reader = sqlitePath === ':memory:' ? null : createSqliteReader(sqlitePath);
  return new Kysely<Schema>({ dialect: createSqliteDialect(file, reader) });
}
