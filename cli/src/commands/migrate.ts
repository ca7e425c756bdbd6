import { randomUUID } from 'node:crypto';
import { databaseRoleVariables, describeVariables, readConfig } from '@latchkey/shared/config';
import {
  type CreatedRole,
  createServiceRoles,
  type Database,
  isDatabaseUnavailable,
  isPostgres,
  migrate,
  readMigrationState,
  renewFeedHistory,
  rightsOf,
  rowServices,
} from '@latchkey/shared/db';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { refusal } from '../refusal.ts';
import { withDatabase } from '../with-database.ts';

/** `latchkey migrate`: brings the database to this version's schema. */
export function registerMigrate(program: Command, context: CommandContext): void {
  const { env, stdout } = context;
  program
    .command('migrate')
    .description('bring the database that DATABASE_URL or SQLITE_PATH names up to date')
    .option(
      '--roles [prefix]',
      'also make a Postgres role for each service that has rows, named <prefix>_auth and so on (prefix: latchkey)',
      parsePrefix,
    )
    .addHelpText(
      'after',
      `
Safe to run again, and by several at once. Nothing is removed that a server of the release before needs. A database that
a newer release has migrated is left as it is, which is no failure: the exit code is 0.

Run it after a restore, too. Every server on this database then drops what it has cached, so that none goes on by states
that the restore undid.

With --roles, each service gets a Postgres role of its own that reaches its own tables alone (docs/operate/database-roles.md).
Run it as the owner of the tables, with the right to make roles (CREATEROLE). Safe to run again: it sets the passwords
and the rights again. Later migrations grant what they add, with --roles or without:

${describeVariables(databaseRoleVariables)}`,
    )
    .action(({ roles }: { roles?: string | true }) =>
      withDatabase(env, { mayCreate: true, longStatements: true }, async (db, database) => {
        const applied = await migrate(db);
        const { unknown } = await readMigrationState(db);
        stdout.write(`${database} ${describeSchema(applied, unknown)}\n`);
        const prefix = roles === true ? 'latchkey' : roles;
        if (prefix !== undefined) stdout.write(await makeRoles(db, prefix, context));
        await renewFeedHistory(db, randomUUID).catch((error: unknown) => {
          // The schema is up to date, so the command does not fail.
          if (!isDatabaseUnavailable(error)) throw error;
          stdout.write(
            'It takes no writes, so no server dropped what it has cached. Run this again after a restore.\n',
          );
        });
      }),
    );
}

/** A name that Postgres accepts without quotes and does not cut: a service is appended, and names have at most 63 bytes. */
function parsePrefix(text: string): string {
  if (/^[a-z][a-z0-9_]{0,49}$/.test(text) && !text.startsWith('pg_')) return text;
  throw new InvalidArgumentError('Accepted: up to 50 of a-z, 0-9 and _, with a letter first and not pg_.');
}

function describeSchema(applied: readonly string[], unknown: readonly string[]): string {
  if (unknown.length > 0) {
    return `is newer than this version, which does not know ${unknown.join(', ')}. Nothing was changed.`;
  }
  return applied.length === 0 ? 'is up to date' : `brought up to date: ${applied.join(', ')}`;
}

/**
 * Makes the roles of the services.
 *
 * @returns what was made, one line for each role
 * @throws ConfigError for a password that cannot be used; AppError where the database is a SQLite file
 */
async function makeRoles(
  db: Database,
  prefix: string,
  { env, randomBytes }: CommandContext,
): Promise<string> {
  if (!isPostgres(db)) {
    throw refusal('--roles is for Postgres: set DATABASE_URL. A SQLite file has no roles');
  }
  const { values } = readConfig(databaseRoleVariables, env);
  const passwords = Object.fromEntries(
    rowServices.flatMap((service) => {
      const password = values[`${service}DatabasePassword`];
      return password ? [[service, password.reveal()]] : [];
    }),
  );
  const roles = await createServiceRoles(db, { prefix, passwords, randomBytes });
  return roles.map(describeRole).join('');
}

function describeRole({ service, name, isNew, hasNewPassword }: CreatedRole): string {
  const variable = `${service.toUpperCase()}_DATABASE_PASSWORD`;
  const password = hasNewPassword
    ? `with the password of ${variable}`
    : isNew
      ? `without a password: ${variable} is not set`
      : 'and keeps its password';
  const tables = Object.keys(rightsOf(service)).sort().join(', ');
  return `Role ${name} ${isNew ? 'was made' : 'already exists'} ${password}. It reaches ${tables}.\n`;
}
