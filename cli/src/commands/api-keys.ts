import { randomBytes, randomUUID } from 'node:crypto';
import { createApiKey } from '@latchkey/auth';
import { isContentPattern, type Scope, scopes } from '@latchkey/shared/contracts';
import { createInProcessBus } from '@latchkey/shared/events';
import { createLedger } from '@latchkey/shared/events/database';
import { instantOf, readInstant, readName, validationFailure } from '@latchkey/shared/http';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withDatabase } from '../with-database.ts';

interface CreateOptions {
  readonly name: string;
  readonly scope: Scope;
  readonly expiresAt?: string;
  readonly contents?: string;
}

/** `latchkey api-keys create`: for an operator who has lost every API key that can manage. */
export function registerApiKeys(program: Command, { env, stdout, stderr, clock }: CommandContext): void {
  const apiKeys = program.command('api-keys').description('API keys, straight on the database');
  apiKeys
    .command('create')
    .description('make an API key without having one: for recovery, by operators who can read the database')
    .requiredOption('--name <name>', 'what the key is called')
    .addOption(new Option('--scope <scope>', 'what it may do').choices([...scopes]).default('admin'))
    .option('--expires-at <time>', 'ISO 8601 with an offset, such as 2027-01-31T12:00:00Z (default: never)')
    .option(
      '--contents <list>',
      'up to 50 ids or prefixes such as acme-*, separated by commas: no other contents exist for the key (default: all)',
    )
    .addHelpText(
      'after',
      `
The raw key is written to standard output, once. The database is the one that DATABASE_URL or SQLITE_PATH names;
a server that runs on it accepts the key within a second. The audit records it as the act of an operator.`,
    )
    .action(async (options: CreateOptions) => {
      const wanted = {
        name: readName(options.name, '--name'),
        scope: options.scope,
        expiresAt: options.expiresAt === undefined ? null : readInstant(options.expiresAt, '--expires-at'),
        metadata: {},
        contents: options.contents === undefined ? null : readContents(options.contents),
      };
      await withDatabase(env, { mayCreate: false }, async (db, database) => {
        // No one in this process subscribes to the bus. Servers read the change from the feed.
        const ledger = createLedger({ db, bus: createInProcessBus(() => {}), clock });
        const { row, rawKey } = await createApiKey({ ledger, randomBytes, randomId: randomUUID }, wanted, {
          actor: { kind: 'operator', id: null },
          clientIp: null,
          requestId: null,
        });
        stdout.write(`${rawKey}\n`);
        const expiry = row.expires_at === null ? 'never expires' : `expires ${instantOf(row.expires_at)}`;
        stderr.write(
          `Made ${options.scope} key ${row.id} (${row.name}, ${expiry}) in ${database}. It is not shown again.\n`,
        );
      });
    });
}

/** As many as the API takes. */
const mostContents = 50;

/** @throws AppError VALIDATION_FAILED */
function readContents(text: string): string[] {
  const contents = text.split(',').map((each) => each.trim());
  if (contents.length <= mostContents && contents.every(isContentPattern)) return contents;
  throw validationFailure(
    '--contents',
    `must be 1 to ${mostContents} ids of contents, or prefixes such as acme-*, separated by commas`,
  );
}
