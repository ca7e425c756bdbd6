import type { Database } from '@latchkey/shared/db';
import { readInstant } from '@latchkey/shared/http';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withDatabase } from '../with-database.ts';
import { exportAudit } from './export-audit.ts';

interface ExportCommand {
  since?: string;
  until?: string;
}

/** `latchkey audit export`. */
export function registerAudit(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('the audit, straight from the database');
  audit
    .command('export')
    .description('write the rows of the audit to standard output, as JSON lines, oldest first')
    .option('--since <time>', 'rows from this time on: ISO 8601 with an offset, such as 2027-01-31T12:00:00Z')
    .option('--until <time>', 'rows before this time')
    .addHelpText('after', '\nThe export itself is a row of the audit.')
    .action((options: ExportCommand) => runExport(options, context));
}

async function runExport(options: ExportCommand, context: CommandContext): Promise<void> {
  const { env, stdout, clock } = context;
  const range = {
    since: options.since === undefined ? null : readInstant(options.since, '--since'),
    until: options.until === undefined ? null : readInstant(options.until, '--until'),
  };
  await withDatabase(env, { mayCreate: false, longStatements: true }, async (db: Database) => {
    for await (const piece of exportAudit(db, range, clock)) {
      // A pipe whose reader is slow: more in memory would help nobody.
      if (stdout.write(piece) === false) await drained(stdout);
    }
  });
}

async function drained(output: { write(text: string): unknown }): Promise<void> {
  const stream = output as NodeJS.WriteStream;
  if (typeof stream.once === 'function')
    await new Promise((resolve) => stream.once('drain', () => resolve(null)));
}
