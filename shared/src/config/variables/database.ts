import { boolean, oneOf, secret, text } from '../parsers.ts';
import { bearerCredential } from '../secret-parsers.ts';
import { postgresUrl } from '../store-urls.ts';
import { variable } from '../variable.ts';

/** In the working folder of the process. */
export const defaultSqlitePath = 'data/latchkey.db';

/** How Postgres is reached. */
const postgresVariables = {
  databasePoolMode: variable({
    name: 'DATABASE_POOL_MODE',
    type: oneOf('auto', 'session', 'transaction'),
    fallback: 'auto',
    about:
      'Whether a pooler such as PgBouncer gives each transaction any session of Postgres. auto: yes, if a pooler is noticed.',
  }),
  databaseCaFile: variable({
    name: 'DATABASE_CA_FILE',
    type: text,
    about:
      'The CA of the certificate of Postgres, as a PEM file. Set: the certificate and its name are verified.',
  }),
  databaseCertFile: variable({
    name: 'DATABASE_CERT_FILE',
    type: text,
    about: 'The certificate that Postgres asks of its clients, as a PEM file.',
  }),
  databaseKeyFile: variable({
    name: 'DATABASE_KEY_FILE',
    type: text,
    about: 'The private key of DATABASE_CERT_FILE, as a PEM file.',
  }),
};

/** Where the data is stored. */
export const databaseVariables = {
  databaseUrl: variable({
    name: 'DATABASE_URL',
    type: secret(postgresUrl),
    about: 'Postgres. Unset: SQLite, in the file that SQLITE_PATH names.',
  }),
  sqlitePath: variable({
    name: 'SQLITE_PATH',
    type: text,
    fallback: defaultSqlitePath,
    about: 'The SQLite file, where DATABASE_URL is unset.',
  }),
  ...postgresVariables,
};

/**
 * Where separate services store their rows. They share one change feed, so they share one database. With a file for each
 * service, a replica would follow the changes of one service and miss those of the others.
 */
export const sharedDatabaseVariables = {
  databaseUrl: variable({
    name: 'DATABASE_URL',
    type: secret(postgresUrl),
    required: true,
    about: 'The Postgres that auth, content and leases share. SQLite is for the single node.',
  }),
  ...postgresVariables,
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
