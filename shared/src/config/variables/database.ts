import { boolean, secret, text } from '../parsers.ts';
import { connectionString } from '../url-parsers.ts';
import { variable } from '../variable.ts';

/** In the working folder of the process. */
export const defaultSqlitePath = 'data/latchkey.db';

/** Where the truth is stored. */
export const databaseVariables = {
  databaseUrl: variable({
    name: 'DATABASE_URL',
    type: secret(connectionString('postgres', 'postgresql')),
    about: 'Postgres. Unset: SQLite, in the file that SQLITE_PATH names.',
  }),
  sqlitePath: variable({
    name: 'SQLITE_PATH',
    type: text,
    fallback: defaultSqlitePath,
    about: 'The SQLite file, where DATABASE_URL is unset.',
  }),
};

/**
 * Where separate services keep their rows. They share one change feed, so they share one database: with a file each, a replica
 * would follow the changes of one service and miss those of the others.
 */
export const sharedDatabaseVariables = {
  databaseUrl: variable({
    name: 'DATABASE_URL',
    type: secret(connectionString('postgres', 'postgresql')),
    required: true,
    about: 'The Postgres that auth, content and leases share. SQLite is for the single node.',
  }),
};

/** For the process that has its database to itself; where several share one, the migration is a step of its own. */
export const migrateOnStart = variable({
  name: 'MIGRATE_ON_START',
  type: boolean,
  fallback: true,
  about: 'Brings the database up to date at the start. false leaves that to `latchkey migrate`.',
});
