import { resolve } from 'node:path';
import { maxEpoch } from '@latchkey/shared/contracts';
import { keyIdOf } from '@latchkey/shared/derivation';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { checkBaseUrl, checkContentId } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import { followKeyInfo, warnOfOffset } from '../key-info/follow-key-info.ts';
import { createKeyPairFiles } from '../key-info/key-pair-files.ts';
import { type ToolName, toolFormats } from '../key-info/tool-formats.ts';
import { readSchedule } from '../keys/clock-periods.ts';
import { readContent } from '../keys/content-api.ts';
import { createServerKeySource } from '../keys/fetch-content-key.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { writeNewFile } from '../write-file.ts';
import { apiKeyFileOption, readServerAccess, type ServerOptions, serverOption } from './server-options.ts';

interface KeyInfoCommandOptions extends ServerOptions {
  readonly contentId: string;
  readonly follow?: string;
  readonly format?: ToolName;
  readonly epoch?: number;
  readonly out?: string;
  readonly keyUrl?: string;
  readonly whenUnreachable: 'keep' | 'stop';
  readonly quiet?: true;
}

/** `latchkey key-info`: the files from which a live encoder reads its key. */
export function registerKeyInfo(program: Command, context: CommandContext): void {
  program
    .command('key-info')
    .description(
      'write a key in the form of an encoder or packager, or keep the key info of a live encoder at the key of now',
    )
    .requiredOption('--content-id <id>', 'its id on the key server')
    .addOption(serverOption())
    .addOption(apiKeyFileOption())
    .option('--key-url <url>', 'where players fetch keys (default: PUBLIC_URL of the server, else --server)')
    .optionsGroup('One key:')
    .addOption(new Option('--format <tool>', 'what the tool wants').choices(Object.keys(toolFormats)))
    .option('--epoch <n>', 'the key of this epoch (default: the key without one)', parseEpoch)
    .option(
      '--out <file>',
      'a new file, readable by you alone, because the key is in it; - is standard output',
    )
    .optionsGroup('A live channel:')
    .option(
      '--follow <file>',
      'the key info file of ffmpeg to keep (-hls_key_info_file); the key lies next to it in <file>.<epoch>.key',
    )
    .addOption(
      new Option('--when-unreachable <what>', 'if the next key cannot be had when its period begins')
        .choices(['keep', 'stop'])
        .default('keep', 'keep: the encoder goes on with the last key'),
    )
    .option('--quiet', 'say nothing but warnings and errors')
    .addHelpText('after', examples)
    .action(async (options: KeyInfoCommandOptions) => {
      const { contentId, follow, format } = options;
      checkContentId(contentId);
      if ((follow === undefined) === (format === undefined))
        throw refusal('give --format <tool> for one key, or --follow <file> for a live channel');
      return follow === undefined ? writeOneKey(options, context) : followClock(follow, options, context);
    });
}

const examples = `
--format ffmpeg writes the key info file, and the key next to it. shaka is a file for --flagfile, bento4 has arguments of mp42hls, gpac is the
file of MP4Box -crypt, mediaconvert is the encryption of an HLS group. docs/start/packagers.md has the whole commands.

--follow runs until SIGTERM or SIGINT and leaves the files. With --when-unreachable stop it removes them instead of keeping an old
key, and ends with 1: the encoder then ends at its next segment.

Examples:
  LATCHKEY_API_KEY=lk_… latchkey key-info --content-id film --format ffmpeg --out film.keyinfo --server https://keys.example.com
  LATCHKEY_API_KEY=lk_… latchkey key-info --content-id channel-1 --follow /run/latchkey/channel-1.keyinfo \\
    --server https://keys.example.com
  ffmpeg … -f hls -hls_flags periodic_rekey -hls_key_info_file /run/latchkey/channel-1.keyinfo channel-1/index.m3u8`;

/** A block of AES (RFC 8216 section 5.2). */
const ivBytes = 16;

/** Writes what a tool reads, with mode 0600 because the key is in it. The key for ffmpeg lies next to the file, in `<out>.key`. */
async function writeOneKey(options: KeyInfoCommandOptions, context: CommandContext): Promise<void> {
  const { contentId, epoch, format = 'ffmpeg', out, quiet } = options;
  if (out === undefined)
    throw refusal('--format needs --out <file>; - is standard output, where the key is then shown');
  const isShown = out === '-';
  if (isShown && format === 'ffmpeg')
    throw refusal('ffmpeg reads the key from a file next to the key info: give --out <file>');
  const access = readServerAccess(options, context, 'key-info');
  const { keyEndpoint } = await readContent(access, contentId, context.signal);
  const base = chooseKeyUrl(options, keyEndpoint, access.server);
  const key = Buffer.from(await createServerKeySource(access).get({ contentId, epoch }, context.signal));
  const keyFile = resolve(`${out}.key`);
  const text = toolFormats[format]({
    ...{ key, keyId: keyIdOf(contentId, epoch), keyFile },
    iv: Buffer.from(context.randomBytes(ivBytes)),
    url: epoch === undefined ? base : `${base}/${epoch}`,
  });
  if (isShown) return void context.stdout.write(text);
  if (format === 'ffmpeg') await writeNewFile(keyFile, key);
  await writeNewFile(out, text);
  if (!quiet) context.stderr.write(`Written to ${out}, readable by you alone. The key is in it.\n`);
}

async function followClock(
  follow: string,
  options: KeyInfoCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { contentId, whenUnreachable } = options;
  const { clock, signal } = context;
  const access = readServerAccess(options, context, 'key-info');
  const keys = createServerKeySource(access);
  const warn = (text: string) => void context.stderr.write(`latchkey key-info: ${text}\n`);
  const read = (within: AbortSignal) => readSchedule(access, contentId, clock, within);

  const schedule = await read(signal);
  const { periods, keyEndpoint, clockOffsetMs } = schedule;
  if (clockOffsetMs !== 0) warn(warnOfOffset(clockOffsetMs));
  if (periods.ahead === 0)
    warn('"ahead" of the content is 0, so no key can be fetched before its period: any outage is noticed');
  const base = chooseKeyUrl(options, keyEndpoint, access.server);
  if (!options.quiet)
    context.stdout.write(
      `${follow} has the key of now, another each ${periods.periodSeconds} s. Players fetch ${showUrl(base)}/<epoch>.\n`,
    );
  await followKeyInfo({
    ...context,
    schedule,
    readSchedule: read,
    fetchKey: (epoch, within) => keys.get({ contentId, epoch }, within),
    files: createKeyPairFiles(follow),
    uriOf: (epoch) => `${base}/${epoch}`,
    whenUnreachable,
    warn,
  });
}

/** The base of the URIs in the playlist. */
function chooseKeyUrl(
  { keyUrl, contentId }: KeyInfoCommandOptions,
  endpoint: string,
  server: string,
): string {
  if (keyUrl !== undefined) return `${checkBaseUrl(keyUrl, '--key-url')}/keys/${contentId}`;
  return URL.canParse(endpoint) ? endpoint : `${server}/keys/${contentId}`;
}

/** The number of a key period. */
function parseEpoch(text: string): number {
  if (/^(0|[1-9]\d{0,9})$/.test(text) && Number(text) <= maxEpoch) return Number(text);
  throw new InvalidArgumentError(`Accepted: 0 to ${maxEpoch}, without leading zeros.`);
}
