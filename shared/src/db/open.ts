import { resolve } from 'node:path';
import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely';
import { openPostgres, type PoolUsage } from './postgres-pool.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite.ts';
import { createSqliteAside } from './sqlite-aside.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';

export type Database = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;

interface DatabaseOptions {
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
  /** Receives what reads how busy the pool of connections to Postgres is. */
  onPool?: (usage: () => PoolUsage) => void;
}

/** Opens Postgres where there is a URL, else SQLite. The code behind it is the same for both. */
export function openDatabase(options: DatabaseOptions): Database {
  if (options.databaseUrl) {
    const pool = openPostgres(options.databaseUrl, options.onConnectionFault ?? (() => {}), options);
    options.onPool?.(pool.usage);
    return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  }
  const { sqlitePath } = options;
  const file = openSqlite(sqlitePath);
  const aside = sqlitePath === ':memory:' ? null : createSqliteAside(sqlitePath);
  return new Kysely<Schema>({ dialect: createSqliteDialect(file, aside) });
}

/** Where a configuration keeps its rows. */
export interface DatabasePlace {
  databaseUrl?: { reveal(): string } | undefined;
  sqlitePath: string;
}

/**
 * Names the configured database, so that an operator sees whether two processes use the same one.
 *
 * @returns such as `Postgres at db.example:5432/latchkey` or `SQLite at /srv/data/latchkey.db`; never a user or a password
 */
export function nameDatabase({ databaseUrl, sqlitePath }: DatabasePlace): string {
  if (!databaseUrl)
    return sqlitePath === ':memory:' ? 'SQLite in memory' : `SQLite at ${resolve(sqlitePath)}`;
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl.reveal());
  // Same as pg: a host in the query takes precedence over the URL's host, which cannot hold a socket's folder.
  const host = searchParams.get('host') ?? hostname;
  const at = [host, searchParams.get('port') ?? port].filter((part) => part !== '').join(':');
  return `Postgres at ${at}${pathname === '/' ? '' : pathname}`;
}
