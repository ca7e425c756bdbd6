import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { copySqlite, settleSqlite, UnusableFile } from '@latchkey/shared/db/files';
import type { Command } from 'commander';
import { fileExists, makePartialFile } from '../backup/partial-file.ts';
import { describeRows, readSqlitePath } from '../backup/sqlite-file.ts';
import type { CommandContext } from '../command-context.ts';
import { failure, refusal } from '../refusal.ts';

/** `latchkey backup`: a copy of the SQLite file of one instant, while a server runs on it. */
export function registerBackup(program: Command, context: CommandContext): void {
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
    .action((file: string) => runBackup(resolve(file), context));
}

async function runBackup(file: string, { env, stdout, signal }: CommandContext): Promise<void> {
  const from = readSqlitePath(env, 'backup');
  if (!existsSync(from)) throw refusal(`there is no database at ${from}; SQLITE_PATH names the file`);
  if (existsSync(file)) throw fileExists(file);
  const partial = await makePartialFile(file);
  try {
    await copySqlite({ from, to: partial.path, signal });
    const held = settleSqlite(partial.path);
    await partial.place();
    const { size } = statSync(file);
    stdout.write(`${file} is a copy of ${from}, ${size.toLocaleString('en')} bytes, and passed the check.\n`);
    stdout.write(describeRows(held));
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw failure(`${from} cannot be backed up: ${error.message}`, error);
  } finally {
    await partial.discard();
  }
}
