import { type CommandContext, createWarn } from '../command-context.ts';
import {
  encryptStreams,
  type StreamsOptions,
  type StreamsSummary,
} from '../common-encryption/encrypt-streams.ts';
import { findPackager } from '../common-encryption/find-packager.ts';
import { checkPackager } from '../common-encryption/run-packager.ts';
import { refusal } from '../refusal.ts';
import { chooseKeySource } from './choose-key-source.ts';
import type { EncryptCommandOptions } from './encrypt-command-options.ts';

/** Options of HLS with AES-128 over whole segments. */
const otherOptions = [
  ...(['live', 'period', 'rotateEvery', 'perRenditionIds', 'sourceRoot', 'sourceHeader'] as const),
  ...(['plainNames', 'upload', 'cacheControlSegments', 'cacheControlPlaylists', 'playlistUrl'] as const),
];

/** `latchkey encrypt --scheme`: clear media files become DASH and HLS with Common Encryption. */
export async function runCommonEncryption(
  sources: readonly string[],
  scheme: StreamsOptions['scheme'],
  keyUrlBase: string,
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  const other = otherOptions.find((name) => options[name] !== undefined);
  if (other !== undefined) {
    const flag = `--${other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw refusal(`${flag} is for HLS with AES-128, and not for --scheme`);
  }
  const { randomBytes, clock, signal, stdout, env } = context;
  const packager = findPackager(options.packager, env, process.cwd());
  await checkPackager(packager, { signal });
  const { source: keys, registrar, description } = await chooseKeySource(options, context);
  const warn = createWarn(context);
  const { contentId, out: outFolder, force = false } = options;
  const what = { sources, scheme, contentId, outFolder, force, keys, keyUrlBase, packager };
  const summary = await encryptStreams({ ...what, randomBytes, clock, warn, signal });
  await registrar?.settle(signal);
  if (!options.quiet) stdout.write(describe(summary, description, registrar ? null : contentId));
}

/** @param toRegister the content, if it is not known whether the server has it */
function describe(summary: StreamsSummary, keySource: string, toRegister: string | null): string {
  const { tracks, licenseUrl, manifest, playlist, outFolder } = summary;
  const register = toRegister
    ? `  - Register the content on the key server, if it is not yet: ${toRegister}\n`
    : '';
  return `Encrypted ${tracks} track(s) with one key.
The key is from ${keySource}. Players ask for licences at:
  ${licenseUrl}
Next:
${register}  - Put the folder ${outFolder} where players fetch video from; the clear files stay private.
  - Play ${manifest} (DASH) or ${playlist} (HLS) with a viewer's token on the licence requests.
`;
}
