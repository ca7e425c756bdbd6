import { AppError } from '@latchkey/shared/errors';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';

const marks: Record<Finding['state'], string> = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ' };

/** `latchkey doctor`: what is wrong with a configuration, and how to mend it. */
export function registerDoctor(program: Command, { env, stdout, clock }: CommandContext): void {
  program
    .command('doctor')
    .description('examine the configuration, the database, the master key and what they point to')
    .option('--env-file <file>', 'read variables from this file first, as a server started with it would')
    .addHelpText('after', '\nIt changes nothing and shows no secret. Exit code 1 where something is wrong.')
    .action(async (options: { envFile?: string }) => {
      const findings = await examine({ env, envFile: options.envFile, clock });
      for (const { state, about, says, mend } of findings) {
        stdout.write(`${marks[state]}  ${about}: ${says}\n${mend ? `         → ${mend}\n` : ''}`);
      }
      const wrong = findings.filter(({ state }) => state === 'wrong').length;
      const warnings = findings.filter(({ state }) => state === 'warning').length;
      stdout.write(`\n${wrong} wrong, ${warnings} to look at\n`);
      if (wrong > 0)
        throw new AppError('INTERNAL', { detail: 'the server would not start, or not serve, like this' });
    });
}
