import { AppError } from '@latchkey/shared/errors';
import { Command, CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { CommandContext } from './command-context.ts';
import { registerApiKeys } from './commands/api-keys.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerEncrypt } from './commands/encrypt.ts';
import { registerKeyInfo } from './commands/key-info.ts';
import { registerKeygen } from './commands/keygen.ts';
import { registerMigrate } from './commands/migrate.ts';
import { explainError } from './explain-error.ts';

/** Done; the work failed; what was given (options, variables, input) cannot be used. */
type ExitCode = 0 | 1 | 2;

/**
 * Runs one command line.
 *
 * @param args without the names of the program and its interpreter
 * @returns the exit code; every error has been written to `context.stderr`
 */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const program = new Command('latchkey')
    .description('Keys and encrypted video for a Latchkey key server.')
    .version(packageJson.version)
    .showHelpAfterError('See --help.')
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    })
    // Before any command is added: a command copies these settings when it is made.
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 an option, a variable or the input cannot be used.',
    );
  // In the order of `--help`.
  for (const register of [
    registerKeygen,
    registerEncrypt,
    registerKeyInfo,
    registerApiKeys,
    registerMigrate,
    registerDoctor,
  ])
    register(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already written the help, or what is wrong with the options.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    context.stderr.write(`latchkey: ${explainError(error)}\n`);
    return error instanceof AppError && error.status === 400 ? 2 : 1;
  }
}
