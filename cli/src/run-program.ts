import { AppError } from '@latchkey/shared/errors';
import { redactId } from '@latchkey/shared/log/redact';
import { Command, CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { CommandContext } from './command-context.ts';
import { explainError } from './explain-error.ts';
import { hideUrls } from './show-url.ts';

type Register = (program: Command, context: CommandContext) => void;
type ProcessContext = Omit<CommandContext, 'warn'>;

/**
 * In the order of `--help`. A command line that begins with a name loads that command alone: `encrypt` then does not load the
 * databases, which take 35 MB. `--version` loads none.
 */
const commands = {
  keygen: async () => (await import('./commands/keygen.ts')).registerKeygen,
  'master-key': async () => (await import('./commands/master-key.ts')).registerMasterKey,
  encrypt: async () => (await import('./commands/encrypt.ts')).registerEncrypt,
  import: async () => (await import('./commands/import.ts')).registerImport,
  'export-keys': async () => (await import('./commands/export-keys.ts')).registerExportKeys,
  'key-info': async () => (await import('./commands/key-info.ts')).registerKeyInfo,
  session: async () => (await import('./commands/session.ts')).registerSession,
  'api-keys': async () => (await import('./commands/api-keys.ts')).registerApiKeys,
  audit: async () => (await import('./commands/audit.ts')).registerAudit,
  backup: async () => (await import('./commands/backup.ts')).registerBackup,
  restore: async () => (await import('./commands/restore.ts')).registerRestore,
  revocations: async () => (await import('./commands/revocations.ts')).registerRevocations,
  migrate: async () => (await import('./commands/migrate.ts')).registerMigrate,
  doctor: async () => (await import('./commands/doctor.ts')).registerDoctor,
} satisfies Record<string, () => Promise<Register>>;

/** Done; the work failed; what was given (options, variables, input) cannot be used. */
type ExitCode = 0 | 1 | 2;

/**
 * Runs one command line.
 *
 * @param args without the names of the program and its interpreter
 * @param given what the command may use
 * @returns the exit code; every error has been written to `stderr` of the context
 */
export async function runProgram(args: readonly string[], given: ProcessContext): Promise<ExitCode> {
  const context = hideSecretsInMessages(given);
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
  const [name = ''] = args;
  const named = Object.hasOwn(commands, name)
    ? [commands[name as keyof typeof commands]]
    : Object.values(name === '--version' ? {} : commands);
  for (const load of named) (await load())(program, context);
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

/**
 * Whichever part of a command writes a message, it shows no password and no query of a URL, no API key and no token. Results on standard output
 * stay as they are.
 */
function hideSecretsInMessages(given: ProcessContext): CommandContext {
  const write = (text: string) => given.stderr.write(redactId(hideUrls(text)));
  return { ...given, stderr: { write }, warn: (text) => void write(`latchkey: warning: ${text}\n`) };
}
