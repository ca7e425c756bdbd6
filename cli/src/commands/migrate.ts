import { migrate } from '@latchkey/shared/db';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withDatabase } from '../database/with-database.ts';

/** `latchkey migrate`: brings the database to this version's schema. */
export function registerMigrate(program: Command, { env, stdout }: CommandContext): void {
  program
    .command('migrate')
    .description('bring the database that DATABASE_URL or SQLITE_PATH names up to date')
    .addHelpText(
      'after',
      '\nSafe to run again, and by several at once. Nothing is removed that an older server needs.',
    )
    .action(() =>
      withDatabase(env, { mayCreate: true }, async (db, database) => {
        const applied = await migrate(db);
        const what = applied.length === 0 ? 'is up to date' : `brought up to date: ${applied.join(', ')}`;
        stdout.write(`${database} ${what}\n`);
      }),
    );
}
