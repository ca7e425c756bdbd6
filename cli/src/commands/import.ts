import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { checkBaseUrl, checkContentId } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import { assertDistinct, parseKeyTable, readKeyFolder } from '../import/imported-key.ts';
import { type ImportedPresentation, readPresentation } from '../import/read-presentation.ts';
import { openSourceFiles } from '../import/source-files.ts';
import { assertNothingReplaced, compareKeys, storeKeys } from '../import/store-keys.ts';
import { placePlaylists, writePlaylists } from '../import/write-playlists.ts';
import { createContentRegistrar } from '../keys/register-content.ts';
import { refusal, refuseUnreadable } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { isUrl } from '../source/request-source.ts';
import { readSourceHeaders } from '../source/source-headers.ts';
import { collect } from './option-parsers.ts';
import { apiKeyFileOption, readServerAccess, type ServerOptions, serverOption } from './server-options.ts';
import { countDone } from './show-progress.ts';

interface ImportOptions extends ServerOptions {
  readonly contentId?: string;
  readonly name?: string;
  /** False for `--no-register`. */
  readonly register: boolean;
  readonly sourceHeader?: readonly string[];
  readonly sourceHeaderOrigin?: readonly string[];
  readonly sourceRoot?: string;
  readonly playlistsTo?: string;
  readonly inPlace?: true;
  readonly keyUrl?: string;
  readonly replace?: true;
  readonly dryRun?: true;
  readonly quiet?: true;
}

/** A million lines of the longest form take some 300 MB; usual ones have 50 bytes. */
const tableMostBytes = 64 * 1024 * 1024;

/** For a whole file from a server or a store. It is not asked again: the command can be repeated. */
const timeoutMs = 30_000;

/** `latchkey import`: keys of a library that is encrypted already. */
export function registerImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('bring keys that exist already: the server then serves them in place of the derived ones')
    .argument(
      '<source>',
      'an encrypted playlist (.m3u8, a path or URL), a folder of key files, or a table (.csv)',
    )
    .addOption(serverOption('the key server').makeOptionMandatory())
    .addOption(apiKeyFileOption('its scope is full, better admin'))
    .option('--content-id <id>', 'of a playlist, or of a folder whose files are called by their epochs')
    .option('--name <name>', 'name of content that is registered (default: its id)')
    .option('--no-register', 'do not register content that the server does not know')
    .option('--replace', 'replace keys that were imported before')
    .option('--dry-run', 'read and prove everything, and store nothing')
    .option('--quiet', 'say nothing but warnings and errors')
    .optionsGroup('Of a playlist:')
    .option(
      '--source-header <header>',
      'send "Name: value" to read it and its keys; several times for several. Secrets: in LATCHKEY_SOURCE_HEADERS_FILE',
      collect,
    )
    .option(
      '--source-header-origin <origin>',
      'also send them there, such as https://keys.example.com',
      collect,
    )
    .option('--source-root <folder>', 'read files from this folder too (default: the folder of the playlist)')
    .option('--playlists-to <folder>', 'write the playlists with the new key URLs into this folder')
    .option('--in-place', 'write them where they are; the old ones are kept next to them, as .before-import')
    .option('--key-url <url>', 'where players fetch keys (default: --server)')
    .addHelpText(
      'after',
      `
A playlist: its keys become epochs in the order in which it names them, or the key without an epoch if there is one only. A segment of each key
is decrypted before anything is stored. Media files are neither changed nor copied.
A folder: film.key is the key of the content film, film/7.key the key of its epoch 7. With --content-id: 7.key. 16 bytes, or these in hex or base64.
A folder of SRS: live/camera-7.key is the key of epoch 7 of the content camera. With --content-id: camera-7.key, of one stream.
A table: a first line "contentId,epoch,key", then a line for each key; the key in hex or base64, the epoch empty for none.

The same again changes nothing: a run that was ended can be repeated.

Examples:
  LATCHKEY_API_KEY=lk_… latchkey import film/master.m3u8 --content-id film --server https://keys.example.com --in-place
  LATCHKEY_API_KEY=lk_… LATCHKEY_SOURCE_HEADERS_FILE=old-server.txt latchkey import https://cdn.example.com/film/master.m3u8 \\
    --content-id film --server https://keys.example.com --source-header-origin https://old-keys.example.com --playlists-to new
  LATCHKEY_API_KEY=lk_… latchkey import keys.csv --server https://keys.example.com`,
    )
    .action((source: string, options: ImportOptions) => runImport(source, options, context));
}

/** The result of an import. A folder or a table gives only keys. */
type Found = Pick<ImportedPresentation, 'keys'> & Partial<ImportedPresentation>;

async function runImport(source: string, options: ImportOptions, context: CommandContext): Promise<void> {
  const { stdout, signal, warn } = context;
  const say = (text: string) => void (options.quiet || stdout.write(`${text}\n`));
  const access = readServerAccess(options, context, 'import');
  const keyUrl = checkBaseUrl(options.keyUrl ?? access.server, '--key-url');
  const found = await findKeys(source, options, context);
  assertDistinct(found.keys);
  const contents = new Set(found.keys.map(({ contentId }) => contentId));
  for (const proof of found.proofs ?? []) say(proof);
  for (const warning of found.warnings ?? []) warn(warning);
  say(`Found ${found.keys.length} keys of ${contents.size} contents.`);
  // Everything that could be refused comes before the first key is stored.
  const placed = placePlaylists(found.rewrite?.(keyUrl) ?? [], options);
  if (!options.replace && !(await assertNothingReplaced(found.keys, { access, signal })))
    warn(
      'keys that were imported before are replaced, because this API key may not see them; one with the scope admin may',
    );
  if (options.dryRun) return say('Nothing was stored (--dry-run).');
  if (options.register) {
    const registrar = createContentRegistrar(access, { name: options.name });
    for (const contentId of contents) await registrar.registerKeyless(contentId, signal);
  }
  const { length } = found.keys;
  await countDone(context, options.quiet, 'Storing', length, (done) =>
    storeKeys(found.keys, { access, signal, done }),
  );
  const refused = await countDone(context, options.quiet, 'Reading back', length, (done) =>
    compareKeys(found.keys, { access, signal, done }),
  );
  for (const [code, count] of refused) warn(`${count} keys are stored, but not served now: ${code}`);
  const written = await writePlaylists(placed);
  say(`Stored ${found.keys.length} keys on ${access.server}, and compared what it serves.`);
  for (const path of written) say(`Wrote ${showUrl(path)}`);
  if (found.rewrite && written.length === 0)
    say('The playlists still name the old keys: --in-place or --playlists-to writes them with the new URLs.');
}

async function findKeys(source: string, options: ImportOptions, context: CommandContext): Promise<Found> {
  const { contentId } = options;
  if (contentId !== undefined) checkContentId(contentId);
  if (isUrl(source)) return readPlaylist(source, options, context);
  const kind = await stat(source).catch(refuseUnreadable(showUrl(source)));
  if (kind.isDirectory()) return { keys: await readKeyFolder(source, contentId) };
  if (/\.m3u8?$/i.test(source)) return readPlaylist(await realpath(source), options, context);
  if (!/\.csv$/i.test(source))
    throw refusal(
      `${showUrl(source)} is neither a playlist (.m3u8), nor a folder of key files, nor a table (.csv)`,
    );
  if (contentId !== undefined) throw refusal('--content-id is not for a table, whose lines have it');
  if (kind.size > tableMostBytes)
    throw refusal(`${showUrl(source)} has ${kind.size} bytes; a table may have ${tableMostBytes}`);
  return { keys: parseKeyTable(await readFile(source, 'utf8'), source) };
}

async function readPlaylist(
  location: string,
  options: ImportOptions,
  { env, signal }: CommandContext,
): Promise<ImportedPresentation> {
  if (options.contentId === undefined) throw refusal('a playlist needs --content-id <id>');
  if (isUrl(location) && !URL.canParse(location))
    throw refusal(`"${showUrl(location)}" is malformed; accepted: a path, or an http or https URL`);
  const headers = readSourceHeaders(options.sourceHeader ?? [], env);
  const sourceRoot = await realpath(
    resolve(options.sourceRoot ?? (isUrl(location) ? '.' : dirname(location))),
  );
  const headerOrigins = (options.sourceHeaderOrigin ?? []).map(
    (text) => new URL(checkBaseUrl(text, '--source-header-origin')).origin,
  );
  const address = isUrl(location) ? location : undefined;
  const files = openSourceFiles(sourceRoot, { address, headers, headerOrigins, timeoutMs, signal });
  return readPresentation(location, options.contentId, files);
}
