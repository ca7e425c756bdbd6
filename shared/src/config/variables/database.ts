import { boolean, secret, text } from '../parsers.ts';
import { bearerCredential } from '../secret-parsers.ts';
import { connectionString } from '../url-parsers.ts';
import { variable } from '../variable.ts';

/** In the working folder of the process. */
export const defaultSqlitePath = 'data/latchkey.db';

/** Where the data is stored. */
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
 * Where separate services store their rows. They share one change feed, so they share one database. With a file for each
 * service, a replica would follow the changes of one service and miss those of the others.
 */
export const sharedDatabaseVariables = {
  databaseUrl: variable({
    name: 'DATABASE_URL',
    type: secret(connectionString('postgres', 'postgresql')),
    required: true,
    about: 'The Postgres that auth, content and leases share. SQLite is for the single node.',
  }),
};

/** For a process that has its database to itself. Where several processes share one, the migration is a separate step. */
export const migrateOnStart = variable({
  name: 'MIGRATE_ON_START',
  type: boolean,
  fallback: true,
  about: 'Brings the database up to date at the start. false leaves that to `latchkey migrate`.',
});

/** What `latchkey migrate --roles` reads: the services themselves have the password in their DATABASE_URL. */
export const databaseRoleVariables = {
  authDatabasePassword: rolePassword('AUTH_DATABASE_PASSWORD', 'auth'),
  contentDatabasePassword: rolePassword('CONTENT_DATABASE_PASSWORD', 'content'),
  leasesDatabasePassword: rolePassword('LEASES_DATABASE_PASSWORD', 'leases'),
};

/** Visible ASCII: other characters would have to be prepared as RFC 4013 says, and escaped in a URL. */
function rolePassword(name: string, service: string) {
  const about = `The password of the Postgres role of ${service}. Unset: a role that exists keeps its password.`;
  return variable({ name, type: secret(bearerCredential), about });
}
