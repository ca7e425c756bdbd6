import { randomUUID } from 'node:crypto';
import {
  cleanAudit,
  type Database,
  isDatabaseUnavailable,
  migrate,
  readMigrationState,
  renewFeedHistory,
} from '@latchkey/shared/db';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { makeRoles, rolesHelp } from '../database/make-roles.ts';
import { withDatabase } from '../database/with-database.ts';

/** `latchkey migrate`: brings the database to this version's schema. */
export function registerMigrate(program: Command, { env, stdout, randomOctets }: CommandContext): void {
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

${rolesHelp}`,
    )
    .action(({ roles }: { roles?: string | true }) =>
      withDatabase(env, { mayCreate: true, longStatements: true }, async (db, database) => {
        const applied = await migrate(db);
        const cleaned = await cleanAudit(db);
        const { unknown } = await readMigrationState(db);
        stdout.write(`${database} ${describe(applied, unknown)}\n`);
        if (cleaned > 0)
          stdout.write(
            `Raw keys and tokens that callers had put into ids are now hidden in ${cleaned} rows of its audit.\n`,
          );
        if (roles !== undefined) {
          const prefix = roles === true ? 'latchkey' : roles;
          stdout.write(await makeRoles(db, { env, prefix, randomBytes: randomOctets }));
        }
        await tellServers(db, (line) => void stdout.write(line));
      }),
    );
}

/** A name that Postgres takes without quotes, and does not cut: its names have at most 63 bytes. */
function parsePrefix(text: string): string {
  if (/^[a-z][a-z0-9_]{0,49}$/.test(text) && !text.startsWith('pg_')) return text;
  throw new InvalidArgumentError('Accepted: up to 50 of a-z, 0-9 and _, with a letter first and not pg_.');
}

/** A database that takes no writes now is no reason to fail: that it is up to date was what was asked. */
async function tellServers(db: Database, say: (line: string) => void): Promise<void> {
  try {
    await renewFeedHistory(db, randomUUID);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    say(
      'It takes no writes, so servers were not told to drop what they have cached. Run this again after a restore.\n',
    );
  }
}

function describe(applied: readonly string[], unknown: readonly string[]): string {
  if (unknown.length > 0) {
    return `is newer than this version, which does not know ${unknown.join(', ')}. Nothing was changed.`;
  }
  return applied.length === 0 ? 'is up to date' : `brought up to date: ${applied.join(', ')}`;
}
