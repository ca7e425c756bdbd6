import { databaseRoleVariables, describeVariables, readConfig } from '@latchkey/shared/config';
import {
  type CreatedRole,
  createServiceRoles,
  type Database,
  rightsOf,
  rowServices,
} from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import type { Variables } from '../keys/read-variable.ts';

/** What `latchkey migrate --help` says of the roles. */
export const rolesHelp = `With --roles, each service gets a Postgres role of its own that reaches its own tables alone (docs/database-roles.md).
Run it as the owner of the tables, with the right to make roles (CREATEROLE). Safe to run again: it sets the passwords
and the rights anew. Later migrations grant what they add, with --roles or without:

${describeVariables(databaseRoleVariables)}`;

/**
 * Makes the roles of the services.
 *
 * @returns what was made, one line for each role
 * @throws ConfigError for a password that cannot be used; AppError where the database is a SQLite file
 */
export async function makeRoles(
  db: Database,
  {
    env,
    prefix,
    randomBytes,
  }: { env: Variables; prefix: string; randomBytes: (count: number) => Uint8Array },
): Promise<string> {
  if (db.getExecutor().adapter.supportsTransactionalDdl !== true) {
    throw new AppError('VALIDATION_FAILED', {
      detail: '--roles is for Postgres: set DATABASE_URL. A SQLite file has no roles',
    });
  }
  const { values } = readConfig(databaseRoleVariables, env);
  const passwords = Object.fromEntries(
    rowServices.flatMap((service) => {
      const password = values[`${service}DatabasePassword`];
      return password ? [[service, password.reveal()]] : [];
    }),
  );
  const roles = await createServiceRoles(db, { prefix, passwords, randomBytes });
  return roles.map(describe).join('');
}

function describe({ service, name, isNew, hasNewPassword }: CreatedRole): string {
  const variable = `${service.toUpperCase()}_DATABASE_PASSWORD`;
  const password = hasNewPassword
    ? `with the password of ${variable}`
    : isNew
      ? `without a password: ${variable} is not set`
      : 'and keeps its password';
  const tables = Object.keys(rightsOf(service)).sort().join(', ');
  return `Role ${name} ${isNew ? 'was made' : 'is there'} ${password}. It reaches ${tables}.\n`;
}
