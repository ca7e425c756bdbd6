import { type Command, Option } from 'commander';
import { checkBaseUrl } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { chooseKeySource } from './choose-key-source.ts';
import { withPresentation } from './download-source.ts';
import { type EncryptCommandOptions, schemes } from './encrypt-command-options.ts';
import { encryptPlaylist } from './encrypt-playlist.ts';
import { collect, parseCacheControl, parsePositiveInteger } from './option-parsers.ts';
import { runCommonEncryption } from './run-common-encryption.ts';
import { runLive } from './run-live.ts';
import { apiKeyFileOption, serverOption } from './server-options.ts';

/** Where a server without configuration listens (`docs/reference/contract.md#transport`). */
const defaultKeyUrl = 'http://localhost:4100';

/** `latchkey encrypt`: a clear HLS presentation on disk becomes an encrypted one; with `--scheme`, media files become DASH and HLS. */
export function registerEncrypt(program: Command, context: CommandContext): void {
  const command = program
    .command('encrypt')
    .description(
      'encrypt an HLS presentation (MPEG-TS or fMP4, AES-128), or media files for DASH, into a new folder',
    )
    .argument(
      '<source...>',
      'the playlist (.m3u8) of a clear presentation, a path or URL; with --scheme: media files',
    )
    .requiredOption('--content-id <id>', 'its id on the key server: 1 to 256 of A-Z a-z 0-9 _ -')
    .requiredOption('--out <folder>', 'where the encrypted presentation goes: a folder that is new or empty')
    .option('--key-url <url>', `where players fetch keys (default: --server, else ${defaultKeyUrl})`)
    .option('--rotate-every <segments>', 'a new key (epoch) after this many segments', parsePositiveInteger)
    .option('--per-rendition-ids', 'a content id for each rendition: <id>-<name of the rendition>')
    .option('--source-root <folder>', 'read files from this folder too (default: the folder of the playlist)')
    .option(
      '--plain-names',
      'name segments by their number alone, without eight digits of a hash of their bytes',
    )
    .option('--force', 'replace --out whole if it is not empty')
    .option('--quiet', 'say nothing but warnings and errors');
  addUploadOptions(command)
    .optionsGroup('Live:')
    .option(
      '--live',
      'follow a live playlist, on disk or by http URL, until it ends; needs keys from a server',
    )
    .option(
      '--period <seconds>',
      'seconds of a key period that --register states (default: 60)',
      parsePositiveInteger,
    )
    .option(
      '--source-header <header>',
      'send "Name: value" to the server of a playlist URL; several times for several. Secrets: in LATCHKEY_SOURCE_HEADERS_FILE',
      collect,
    )
    .optionsGroup('DASH and CMAF:')
    .addOption(
      new Option('--scheme <scheme>', 'Common Encryption of MP4 files, for Clear Key licences').choices(
        schemes,
      ),
    )
    .option('--packager <path>', 'the program of Shaka Packager (default: in PATH, else in node_modules)')
    .optionsGroup('Content keys:')
    .addOption(new Option('--keys-from <source>', 'where content keys come from').choices(['server', 'env']))
    .addOption(serverOption())
    .addOption(apiKeyFileOption())
    .option('--register', 'register the content on the server if it is not known, and state its key periods')
    .option(
      '--no-key-periods',
      'with --register: leave the key periods of the content as they are on the server',
    )
    .option('--name <name>', 'name of the content that --register registers (default: its id)')
    .option(
      '--playlist-url <url>',
      'with --register: where players will find the playlist, for playback sessions (latchkey session)',
    )
    .option('--env-file <file>', 'derive them from MASTER_KEY_HEX and SALT_HEX in this file')
    .option('--key-version <n>', 'version of the master key: 2 for MASTER_KEY_HEX_V2', parsePositiveInteger)
    .addHelpText('after', examples)
    .action((sources: string[], options: EncryptCommandOptions) => runEncrypt(sources, options, context));
}

function addUploadOptions(command: Command): Command {
  return command
    .optionsGroup('Upload:')
    .option(
      '--upload',
      'then upload it to the bucket behind --server; the same command resumes after an interruption',
    )
    .option(
      '--cache-control-segments <value>',
      'how long CDNs keep segments (default: "public, max-age=31536000, immutable")',
      parseCacheControl,
    )
    .option(
      '--cache-control-playlists <value>',
      'how long CDNs keep playlists (default: "public, max-age=60", with --live "no-cache")',
      parseCacheControl,
    );
}

const examples = `
Without --server, keys are derived from MASTER_KEY_HEX and SALT_HEX in the environment or in --env-file;
without --key-version, from the highest version there, which is the one of content registered now.

Examples:
  LATCHKEY_API_KEY=lk_… latchkey encrypt video/master.m3u8 --content-id film-1 --out film-1 \\
    --server https://keys.example.com --register
  LATCHKEY_API_KEY=lk_… latchkey encrypt video/master.m3u8 --content-id film-1 --out film-1 \\
    --server https://keys.example.com --register --upload
  LATCHKEY_API_KEY=lk_… latchkey encrypt https://origin.example.com/film/master.m3u8 --content-id film-1 --out film-1 \\
    --server https://keys.example.com --register
  LATCHKEY_API_KEY=lk_… latchkey encrypt --live live/master.m3u8 --content-id channel-1 --out channel-1 \\
    --server https://keys.example.com --register --period 60
  LATCHKEY_API_KEY=lk_… latchkey encrypt film.mp4 --scheme cenc --content-id film-1 --out film-1 \\
    --server https://keys.example.com --register
  latchkey encrypt video/master.m3u8 --content-id film-1 --out film-1 --env-file data/latchkey.env \\
    --key-url https://keys.example.com --rotate-every 30`;

async function runEncrypt(
  sources: readonly string[],
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  const keyUrlBase = options.keyUrl ?? options.server ?? defaultKeyUrl;
  if (options.scheme) return runCommonEncryption(sources, keyUrlBase, options, context);
  const [playlist = '', ...others] = sources;
  if (others.length > 0) throw refusal('several files are given; only --scheme takes more than one');
  if (options.packager !== undefined) throw refusal('--packager is for --scheme');
  refusePlaylistUrl(options);
  if (!options.upload && (options.cacheControlSegments ?? options.cacheControlPlaylists) !== undefined)
    throw refusal('--cache-control-segments and --cache-control-playlists are for --upload');
  if (options.live) return runLive(playlist, options, context);
  if (options.period !== undefined)
    throw refusal('--period is for --live; --rotate-every rotates a finished presentation');
  const keySource = await chooseKeySource(options, context);
  checkBaseUrl(keyUrlBase, '--key-url');
  await withPresentation(playlist, options, context, (path) =>
    encryptPlaylist(path, keyUrlBase, keySource, options, context),
  );
}

/** @throws AppError `VALIDATION_FAILED` for a `--playlist-url` that cannot be used. The server also checks its PLAYLIST_ORIGINS */
function refusePlaylistUrl({ playlistUrl, register, perRenditionIds }: EncryptCommandOptions): void {
  if (playlistUrl === undefined) return;
  if (!register) throw refusal('--playlist-url is stated by --register: give that too');
  if (perRenditionIds)
    throw refusal(
      '--playlist-url is for one content, whose session opens no other: not with --per-rendition-ids',
    );
  if (/^https?:$/.test(URL.parse(playlistUrl)?.protocol ?? '')) return;
  throw refusal(
    `--playlist-url "${showUrl(playlistUrl)}"; accepted: an http or https URL, such as https://cdn.example.com/film/master.m3u8`,
  );
}
