import { resolve } from 'node:path';
import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely';
import { splitHosts } from '../net/index.ts';
import type { Tracer } from '../traces/index.ts';
import { MigrationLockAdapter } from './migration-lock.ts';
import { openPostgres, type PoolOptions, type PoolUsage } from './postgres-pool.ts';
import { nameServer } from './postgres-targets.ts';
import type { PostgresSettings } from './postgres-tls.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite.ts';
import { createSqliteAside } from './sqlite-aside.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { traceStatements } from './trace-statements.ts';

export type Database = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;

interface DatabaseOptions extends PoolOptions {
  /** `postgres://…`. If it is set, SQLite is not used. */
  databaseUrl?: string | undefined;
  /** The SQLite file; its folder is made if it is missing. `:memory:` for a database that ends with the process. */
  sqlitePath: string;
  /** Called for connections that broke while idle, which no query reports. */
  onConnectionFault?: (error: Error) => void;
  /** Receives what reads how busy the pool of connections to Postgres is. */
  onPool?: (usage: () => PoolUsage) => void;
  /** Records the statements of requests. Null or left out: traces are off. */
  tracer?: Tracer | null | undefined;
}

/** Opens Postgres if there is a URL, else SQLite. The code behind it is the same for both. */
export function openDatabase(options: DatabaseOptions): Database {
  const { tracer } = options;
  const logOf = (system: 'postgresql' | 'sqlite') => (tracer ? { log: traceStatements(system, tracer) } : {});
  if (options.databaseUrl) {
    const pool = openPostgres(options.databaseUrl, options.onConnectionFault ?? (() => {}), options);
    options.onPool?.(pool.usage);
    return new Kysely<Schema>({ dialect: new OwnPostgresDialect({ pool }), ...logOf('postgresql') });
  }
  const { sqlitePath } = options;
  const file = openSqlite(sqlitePath);
  const aside = sqlitePath === ':memory:' ? null : createSqliteAside(sqlitePath);
  return new Kysely<Schema>({ dialect: createSqliteDialect(file, aside), ...logOf('sqlite') });
}

class OwnPostgresDialect extends PostgresDialect {
  override createAdapter(): MigrationLockAdapter {
    return new MigrationLockAdapter();
  }
}

/** Where a configuration keeps its rows. */
export interface DatabasePlace extends PostgresSettings {
  sqlitePath: string;
}

/**
 * Names the configured database, so that an operator sees whether two processes use the same one.
 *
 * @returns such as `Postgres at db.example:5432/latchkey` or `SQLite at /srv/data/latchkey.db`; never a user or a password
 */
export function nameDatabase({
  databaseUrl,
  sqlitePath,
}: Pick<DatabasePlace, 'databaseUrl' | 'sqlitePath'>): string {
  if (!databaseUrl)
    return sqlitePath === ':memory:' ? 'SQLite in memory' : `SQLite at ${resolve(sqlitePath)}`;
  const servers = splitHosts(databaseUrl.reveal());
  const { pathname = '/' } = servers[0] ?? {};
  return `Postgres at ${servers.map(nameServer).join(',')}${pathname === '/' ? '' : pathname}`;
}
