import { existsSync, statSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describeRows, placeCopy, readSqlitePath, sync } from '../backup/sqlite-file.ts';
import type { CommandContext } from '../command-context.ts';
import { refusal, refuseExisting } from '../refusal.ts';

/** `latchkey backup`: a copy of the SQLite file of one instant, while a server runs on it. */
export function registerBackup(program: Command, { env, stdout, signal }: CommandContext): void {
  program
    .command('backup')
    .description('copy the SQLite file that SQLITE_PATH names, while a server serves from it')
    .argument('<file>', 'where the copy goes; never over an existing file')
    .addHelpText(
      'after',
      `
The copy is of one instant, complete in one file, checked (integrity_check), on the disk, and readable by its owner alone. No request
waits for it. The folder of the database needs room for what is written meanwhile.

The copy holds no secret: keep latchkey.env, or wherever the master key is, too. Without it the rows open nothing.
For Postgres, use pg_dump or archive its log: docs/operate/backup.md.`,
    )
    .action(async (given: string) => {
      const file = resolve(given);
      const from = readSqlitePath(env, 'backup');
      if (!existsSync(from)) throw refusal(`there is no database at ${from}; SQLITE_PATH names the file`);
      const exists = `${file} exists already, and no file is replaced. Give another name`;
      if (existsSync(file)) throw refusal(exists);
      const explain = (fault: string) => `cannot be backed up: ${fault}`;
      const { held } = await placeCopy({ from, to: file, signal, explain }, async (copy) => {
        await sync(copy);
        // A rename would replace a file that was made meanwhile.
        await link(copy, file).catch(refuseExisting(exists));
        await rm(copy);
      });
      const { size } = statSync(file);
      stdout.write(
        `${file} is a copy of ${from}, ${size.toLocaleString('en')} bytes, and passed the check.\n`,
      );
      stdout.write(describeRows(held));
    });
}
