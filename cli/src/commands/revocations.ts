import { existsSync } from 'node:fs';
import { AppError } from '@latchkey/shared/errors';
import type { Command } from 'commander';
import {
  type FoundRevocations,
  findRevocations,
  type MissingRevocation,
} from '../backup/missing-revocations.ts';
import type { CommandContext } from '../command-context.ts';
import { askServer, type ServerAccess } from '../keys/ask-server.ts';
import { refusal } from '../refusal.ts';
import { readServerAccess } from './choose-key-source.ts';

interface RevocationsOptions {
  readonly since: string;
  readonly redo?: true;
  readonly server?: string;
  readonly apiKeyFile?: string;
}

/** `latchkey revocations`: what a restore undid. */
export function registerRevocations(program: Command, context: CommandContext): void {
  program
    .command('revocations')
    .description('list the revocations in the request log, and make them again after a restore')
    .argument('<log...>', 'files with the standard output of the server or of every gateway')
    .requiredOption('--since <time>', 'ISO 8601 with an offset; latchkey restore names it')
    .option('--redo', 'make them again on the server')
    .option(
      '--server <url>',
      'with --redo: the server; the API key is in LATCHKEY_API_KEY or LATCHKEY_API_KEY_FILE',
    )
    .option('--api-key-file <file>', 'the API key is in this file')
    .addHelpText(
      'after',
      `
Standard output has one JSON line for each revocation: when it was made, and the request that makes it again. They are those of leases by
viewer, content, pair or lease, of API keys (rotated ones too), of contents that were disabled and are not active again, and blocks of
viewers. A block that was lifted or has ended is made again as a revocation by viewer.
Making one again is harmless where the restored database has it. It also refuses tokens that were issued in between: those viewers
need a new token. Leases that viewers released themselves are only counted.

Lines are written with LOG_LEVEL=info or lower. If a line does not say what it revoked, the exit code is 1: look at the audit of that time.`,
    )
    .action((files: string[], options: RevocationsOptions) => runRevocations(files, options, context));
}

async function runRevocations(
  files: readonly string[],
  options: RevocationsOptions,
  context: CommandContext,
): Promise<void> {
  const since = readPastInstant(options.since);
  const absent = files.find((file) => !existsSync(file));
  if (absent !== undefined) throw refusal(`there is no file at ${absent}`);
  const access = options.redo && readServerAccess(options, context, '--redo');
  const found = await findRevocations(files, since);
  for (const one of found.missing) {
    context.stdout.write(`${JSON.stringify(one)}\n`);
    if (access) await redo(access, one, context);
  }
  context.stderr.write(summaryOf(found, Boolean(access)));
  if (found.unclear.length > 0)
    throw new AppError('INTERNAL', {
      detail: `these lines do not say what they revoked: ${found.unclear.slice(0, 20).join(', ')}${found.unclear.length > 20 ? ', …' : ''}. Look at the audit`,
    });
}

function readPastInstant(text: string): number {
  const at = /(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw refusal(`--since is "${text}". Accepted: ISO 8601 with an offset, such as 2027-01-31T12:00:00Z`);
  return at;
}

/** What the restored database does not have needs no revocation, but for the mark of a lease. */
async function redo(access: ServerAccess, one: MissingRevocation, { signal }: CommandContext): Promise<void> {
  const { method, path, body, bodyWithoutLease } = one;
  try {
    await askServer(access, { method, path, body, signal });
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    if (bodyWithoutLease) await askServer(access, { method, path, body: bodyWithoutLease, signal });
  }
}

function summaryOf({ missing, released, lines }: FoundRevocations, isRedone: boolean): string {
  const counts = `${missing.length} revocations in ${lines} lines of that time`;
  const others = released === 0 ? '' : ` ${released} leases that viewers released are not listed.`;
  return `${counts}${isRedone ? ', all made again' : ''}.${others}\n`;
}
