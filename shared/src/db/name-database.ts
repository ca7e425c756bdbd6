import { resolve } from 'node:path';

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
