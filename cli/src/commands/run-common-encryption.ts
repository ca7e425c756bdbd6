import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { keyIdOf } from '@latchkey/shared/derivation';
import { checkBaseUrl, checkContentId } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import { addClearKey } from '../common-encryption/add-clear-key.ts';
import { findPackager } from '../common-encryption/find-packager.ts';
import { checkPackager, listStreams, runPackager } from '../common-encryption/run-packager.ts';
import { fillOutputFolder } from '../encrypt/output-folder.ts';
import { createRenditionNamer } from '../encrypt/target-names.ts';
import { isWithin } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { chooseKeySource } from './choose-key-source.ts';
import type { EncryptCommandOptions } from './encrypt-command-options.ts';

/** Options of HLS with AES-128 over whole segments. */
const otherOptions = [
  ...(['live', 'period', 'rotateEvery', 'perRenditionIds', 'sourceRoot', 'sourceHeader'] as const),
  ...(['plainNames', 'upload', 'cacheControlSegments', 'cacheControlPlaylists', 'playlistUrl'] as const),
];

const manifestName = 'manifest.mpd';
const playlistName = 'master.m3u8';

/**
 * `latchkey encrypt --scheme`: clear media files become DASH and HLS with Common Encryption, by Shaka Packager: one CMAF file for each track, a
 * DASH manifest and HLS playlists. All tracks have the content key without an epoch. The folder gets its name when it is complete.
 *
 * @param keyUrlBase players ask `<keyUrlBase>/licenses/clearkey/<contentId>`
 */
export async function runCommonEncryption(
  paths: readonly string[],
  keyUrlBase: string,
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  const other = otherOptions.find((name) => options[name] !== undefined);
  if (other !== undefined) {
    const flag = `--${other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw refusal(`${flag} is for HLS with AES-128, and not for --scheme`);
  }
  const { signal, stdout, env } = context;
  const { contentId, force = false } = options;
  const packager = findPackager(options.packager, env, process.cwd());
  await checkPackager(packager, { signal });
  const { source: keys, registrar, description } = await chooseKeySource(options, context);
  checkContentId(contentId);
  const base = checkBaseUrl(keyUrlBase, '--key-url');
  const licenseUrl = `${base}/licenses/clearkey/${contentId}`;
  const sources = paths.map((path) => resolve(path));
  for (const source of sources) {
    // The packager separates the parts of a track by commas.
    if (/[,=]/.test(source))
      throw refusal(`${source} has "," or "=" in its path, which Shaka Packager cannot read`);
    if (!(await stat(source)).isFile())
      throw refusal(`${source} is not a file; accepted: media files such as MP4`);
  }
  const tracks = await planTracks(packager, sources, context);
  // The key before the work, so that a refused one costs nothing.
  await keys.prepare({ contentId, epochs: null }, signal);
  const key = await keys.get({ contentId, epoch: undefined }, signal);

  const inside = sources.find((source) => isWithin(source, resolve(options.out)));
  const playlistPath = inside ?? sources[0] ?? '';
  const { path } = await fillOutputFolder(options.out, { ...context, force, playlistPath }, async (cwd) => {
    const args = [
      `--protection_scheme=${options.scheme}`,
      `--hls_key_uri=${base}/keys/${contentId}`,
      ...tracks,
    ];
    await withKeyFile(contentId, key, (file) =>
      runPackager(packager, [...packagerOptions, `--flagfile=${file}`, ...args], { cwd, signal }),
    );
    const manifest = join(cwd, manifestName);
    await writeFile(manifest, addClearKey(await readFile(manifest, 'utf8'), licenseUrl));
  });
  await registrar?.settle(signal);
  const register = registrar
    ? ''
    : `  - Register the content on the key server, if it is not yet: ${contentId}\n`;
  const summary = `Encrypted ${tracks.length} track(s) with one key.
The key is from ${description}. Players ask for licences at:
  ${licenseUrl}
Next:
${register}  - Put the folder ${path} where players fetch video from; the clear files stay private.
  - Play ${join(path, manifestName)} (DASH) or ${join(path, playlistName)} (HLS) with a viewer's token on the licence requests.
`;
  if (!options.quiet) stdout.write(summary);
}

/** @returns the arguments for all tracks, with names relative to the output folder */
async function planTracks(
  packager: string,
  sources: readonly string[],
  context: CommandContext,
): Promise<string[]> {
  const { warn } = context;
  const nameOf = createRenditionNamer();
  const tracks: string[] = [];
  let hasVideo = false;
  let soundOf: string | undefined;
  for (const source of sources) {
    const streams = await listStreams(packager, source, context);
    const withPicture = streams.some(({ kind }) => kind === 'video');
    hasVideo ||= withPicture;
    const name = basename(source);
    for (const { kind, index } of streams) {
      if (kind !== 'video' && kind !== 'audio') {
        warn(`${source}: stream ${index} has no picture and no sound, and is left out`);
        continue;
      }
      // Files of one film in several sizes have the same sound.
      if (kind === 'audio' && withPicture) {
        soundOf ??= source;
        if (soundOf !== source) {
          warn(`${source}: its sound is left out, because the sound of ${soundOf} is used`);
          continue;
        }
      }
      const track = nameOf(`${name.replace(/\.[^.]*$/, '')}-${kind}.mp4`);
      tracks.push(`in=${source},stream=${index},out=${track}.mp4,playlist_name=${track}.m3u8`);
    }
  }
  if (tracks.length === 0) throw refusal(`${sources.join(', ')}: no picture and no sound is in there`);
  if (!hasVideo) warn('no file has a picture');
  return tracks;
}

const packagerOptions = [
  ...['--quiet', '--enable_raw_key_encryption', '--protection_systems=CommonSystem'],
  // Players have the key id of the manifest: dash.js 5.2 fails by one in the media. Without a clear lead, nothing plays without a licence.
  ...['--mp4_include_pssh_in_stream=false', '--clear_lead=0'],
  ...[`--mpd_output=${manifestName}`, `--hls_master_playlist_output=${playlistName}`],
];

/**
 * The key is in a file of this user, and not in the arguments, which every user of the machine can list. It is in a folder of its own, since
 * a killed run may leave it, and the output folder may be copied.
 *
 * @param work gets the path of a file with flags of the packager
 */
async function withKeyFile(
  contentId: string,
  key: Uint8Array,
  work: (file: string) => Promise<unknown>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-key-'));
  try {
    const file = join(folder, 'flags');
    const keyId = keyIdOf(contentId, undefined).toString('hex');
    const keys = `--keys=label=:key_id=${keyId}:key=${Buffer.from(key).toString('hex')}\n`;
    await writeFile(file, keys, { mode: 0o600, flag: 'wx' });
    await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
