import { isContentId } from '@latchkey/shared/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { formatKeyTable } from '../import/imported-key.ts';
import { listKeys } from '../import/store-keys.ts';
import { askServer, type ServerAccess } from '../keys/ask-server.ts';
import { refusal } from '../refusal.ts';
import { writeNewFile } from '../write-file.ts';
import { apiKeyFileOption, readServerAccess, type ServerOptions, serverOption } from './server-options.ts';
import { countDone } from './show-progress.ts';

interface ExportOptions extends ServerOptions {
  readonly all?: true;
  readonly epochs?: string;
  readonly out: string;
  readonly quiet?: true;
}

/** `latchkey export-keys`: to leave with the keys, or to move to another installation. */
export function registerExportKeys(program: Command, context: CommandContext): void {
  const { stdout, stderr, signal } = context;
  program
    .command('export-keys')
    .description('write content keys into a table that `latchkey import` reads: to leave, or to move')
    .argument('[contents...]', 'ids of contents')
    .addOption(serverOption('the key server').makeOptionMandatory())
    .addOption(apiKeyFileOption('its scope must be admin or full'))
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
    .action(async (contents: string[], options: ExportOptions) => {
      if ((contents.length === 0) === !options.all) throw refusal('name contents, or give --all');
      for (const id of contents)
        if (!isContentId(id))
          throw refusal(`"${id}" cannot be the id of a content; accepted: 1 to 256 of A-Z a-z 0-9 _ -`);
      const access = readServerAccess(options, context, 'export-keys');
      const ids = options.all ? await listContents(access, signal) : contents;
      const keys = await countDone(context, options.quiet, 'Exporting', ids.length, async (contentDone) => {
        const read = [];
        for (const contentId of ids) {
          for (const epochs of splitRange(options.epochs)) {
            const listed = await listKeys(access, contentId, { epochs, signal });
            for (const { epoch, key } of listed)
              read.push({ contentId, epoch: epoch ?? undefined, key: Buffer.from(key, 'hex') });
          }
          contentDone();
        }
        return read;
      });
      const table = formatKeyTable(keys);
      if (options.out === '-') stdout.write(table);
      else await writeNewFile(options.out, table);
      if (!options.quiet)
        stderr.write(
          `Exported ${keys.length} keys of ${ids.length} contents${options.out === '-' ? '' : ` to ${options.out}, readable by you alone`}.\n`,
        );
    });
}

/** Epochs of one request: `docs/reference/contract.md#keys-that-exist-already`. */
const epochsAtOnce = 1_000;
/** The most that the API lists. */
const contentsAtOnce = 500;

/** Ranges that one request takes. The server refuses a text that is no range. */
function splitRange(text: string | undefined): (string | undefined)[] {
  const [, first, last] = /^(\d{1,10})-(\d{1,10})$/.exec(text ?? '') ?? [];
  if (first === undefined || last === undefined || Number(last) < Number(first)) return [text];
  const ranges: string[] = [];
  for (let from = Number(first); from <= Number(last); from += epochsAtOnce)
    ranges.push(`${from}-${Math.min(from + epochsAtOnce - 1, Number(last))}`);
  return ranges;
}

/** The ids of all contents. @throws AppError as `askServer` */
async function listContents(access: ServerAccess, signal: AbortSignal): Promise<string[]> {
  const ids = new Set<string>();
  for (let offset = 0; ; offset += contentsAtOnce) {
    const path = `/api/v1/content?limit=${contentsAtOnce}&offset=${offset}`;
    const answer = await askServer(access, { method: 'GET', path, signal });
    const { items, total } = (await answer.json()) as { items: { id: string }[]; total: number };
    for (const { id } of items) ids.add(id);
    if (items.length === 0 || offset + items.length >= total) return [...ids].sort();
  }
}
