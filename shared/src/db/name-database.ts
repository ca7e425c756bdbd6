import { resolve } from 'node:path';

/** Where a configuration keeps its rows. */
export interface DatabasePlace {
  databaseUrl?: { reveal(): string } | undefined;
  sqlitePath: string;
}

/**
 * Names the database that a configuration means, so that an operator sees whether two processes mean the same one.
 *
 * @returns such as `Postgres at db.example:5432/latchkey` or `SQLite at /srv/data/latchkey.db`; never a user or a password
 */
export function nameDatabase({ databaseUrl, sqlitePath }: DatabasePlace): string {
  if (!databaseUrl)
    return sqlitePath === ':memory:' ? 'SQLite in memory' : `SQLite at ${resolve(sqlitePath)}`;
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl.reveal());
  // As pg reads it: a host in the query goes before that of the URL, in which the folder of a socket has no room.
  const host = searchParams.get('host') ?? hostname;
  const at = [host, searchParams.get('port') ?? port].filter((part) => part !== '').join(':');
  return `Postgres at ${at}${pathname === '/' ? '' : pathname}`;
}
