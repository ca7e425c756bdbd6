import { isContentId } from '@latchkey/shared/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { exportKeys, listContents } from '../import/export-keys.ts';
import { formatKeyTable } from '../import/key-table.ts';
import { refusal } from '../refusal.ts';
import { writeNewFile } from '../write-new-file.ts';
import { readServerAccess } from './choose-key-source.ts';
import { countDone } from './count-done.ts';

interface ExportOptions {
  readonly server?: string;
  readonly apiKeyFile?: string;
  readonly all?: true;
  readonly epochs?: string;
  readonly out: string;
  readonly quiet?: true;
}

/** `latchkey export-keys`: to leave with the keys, or to move to another installation. */
export function registerExportKeys(program: Command, context: CommandContext): void {
  program
    .command('export-keys')
    .description('write content keys into a table that `latchkey import` reads: to leave, or to move')
    .argument('[contents...]', 'ids of contents')
    .requiredOption(
      '--server <url>',
      'the key server; the API key is in LATCHKEY_API_KEY or LATCHKEY_API_KEY_FILE',
    )
    .option('--api-key-file <file>', 'the API key is in this file; its scope must be admin or full')
    .option('--all', 'all contents of the server')
    .option(
      '--epochs <range>',
      'such as 0-99 or 7 (default: the key without an epoch, and every imported key)',
    )
    .requiredOption('--out <file>', 'a new file, readable by you alone; - is standard output')
    .option('--quiet', 'say nothing but errors')
    .addHelpText(
      'after',
      `
Keys are derived, so the server does not know how many epochs a content has: name them, once for each length of content.
Every export of a content is in the audit.

Examples:
  LATCHKEY_API_KEY=lk_… latchkey export-keys film --server https://keys.example.com --epochs 0-719 --out film.csv
  LATCHKEY_API_KEY=lk_… latchkey export-keys --all --server https://keys.example.com --out keys.csv`,
    )
    .action((contents: string[], options: ExportOptions) => runExport(contents, options, context));
}

async function runExport(
  contents: readonly string[],
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, signal } = context;
  if ((contents.length === 0) === !options.all) throw refusal('name contents, or give --all');
  for (const id of contents)
    if (!isContentId(id))
      throw refusal(`"${id}" cannot be the id of a content; accepted: 1 to 256 of A-Z a-z 0-9 _ -`);
  const access = readServerAccess(options, context, 'export-keys');
  const ids = options.all ? await listContents(access, signal) : contents;
  const progress = countDone(context, options.quiet ?? false, 'Exporting', ids.length);
  const keys = [];
  try {
    for (const contentId of ids) {
      keys.push(...(await exportKeys(access, { contentId, epochs: options.epochs }, signal)));
      progress.one();
    }
  } finally {
    progress.stop();
  }
  const table = formatKeyTable(keys);
  if (options.out === '-') stdout.write(table);
  else await writeNewFile('--out', options.out, table);
  if (!options.quiet)
    stderr.write(
      `Exported ${keys.length} keys of ${ids.length} contents${options.out === '-' ? '' : ` to ${options.out}, readable by you alone`}.\n`,
    );
}
