import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { keyIdOf } from '@latchkey/shared/derivation';
import { checkBaseUrl, checkContentId } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import type { ContentKeySource } from '../encrypt/content-key-source.ts';
import { fillOutputFolder } from '../encrypt/output-folder.ts';
import { createRenditionNamer } from '../encrypt/target-names.ts';
import { isWithin } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { addClearKey } from './add-clear-key.ts';
import { listStreams, runPackager } from './run-packager.ts';

/** Protection schemes of Common Encryption (ISO/IEC 23001-7) that players know: AES-CTR, and AES-CBC with a pattern. */
export const schemes = ['cenc', 'cbcs'] as const;

export interface StreamsOptions extends Pick<CommandContext, 'randomBytes' | 'clock' | 'signal'> {
  /** Paths of clear media files. */
  readonly sources: readonly string[];
  readonly scheme: (typeof schemes)[number];
  readonly contentId: string;
  readonly outFolder: string;
  readonly force: boolean;
  readonly keys: ContentKeySource;
  /** Players ask `<keyUrlBase>/licenses/clearkey/<contentId>`. */
  readonly keyUrlBase: string;
  /** Path of Shaka Packager. */
  readonly packager: string;
  readonly warn: (text: string) => void;
}

export interface StreamsSummary {
  readonly outFolder: string;
  readonly tracks: number;
  readonly licenseUrl: string;
  /** Absolute paths. */
  readonly manifest: string;
  readonly playlist: string;
}

const manifestName = 'manifest.mpd';
const playlistName = 'master.m3u8';

/**
 * Encrypts media files with Common Encryption by Shaka Packager: one CMAF file for each track, a DASH manifest and HLS playlists. All tracks
 * have the content key without an epoch. The folder gets its name when it is complete.
 *
 * @throws AppError `VALIDATION_FAILED` for input or options that cannot be used, or what `keys` throws
 */
export async function encryptStreams(options: StreamsOptions): Promise<StreamsSummary> {
  const { contentId, outFolder, keys, signal } = options;
  checkContentId(contentId);
  const base = checkBaseUrl(options.keyUrlBase, '--key-url');
  const licenseUrl = `${base}/licenses/clearkey/${contentId}`;
  const sources = options.sources.map((source) => resolve(source));
  for (const source of sources) await checkSource(source);
  const tracks = await planTracks(sources, options);
  // The key before the work, so that a refused one costs nothing.
  await keys.prepare({ contentId, epochs: null }, signal);
  const key = await keys.get({ contentId, epoch: undefined }, signal);

  const inside = sources.find((source) => isWithin(source, resolve(outFolder)));
  const playlistPath = inside ?? sources[0] ?? '';
  const { path } = await fillOutputFolder(outFolder, { ...options, playlistPath }, async (folder) => {
    await runWithKey(key, `${base}/keys/${contentId}`, tracks, folder, options);
    const manifest = join(folder, manifestName);
    await writeFile(manifest, addClearKey(await readFile(manifest, 'utf8'), licenseUrl));
  });
  const [manifest, playlist] = [join(path, manifestName), join(path, playlistName)];
  return { outFolder: path, tracks: tracks.length, licenseUrl, manifest, playlist };
}

async function checkSource(source: string): Promise<void> {
  // The packager separates the parts of a track by commas.
  if (/[,=]/.test(source))
    throw refusal(`${source} has "," or "=" in its path, which Shaka Packager cannot read`);
  if (!(await stat(source)).isFile())
    throw refusal(`${source} is not a file; accepted: media files such as MP4`);
}

/** @returns the arguments for all tracks, with names relative to the output folder */
async function planTracks(
  sources: readonly string[],
  { packager, signal, warn }: StreamsOptions,
): Promise<string[]> {
  const nameOf = createRenditionNamer();
  const tracks: string[] = [];
  let hasVideo = false;
  let soundOf: string | undefined;
  for (const source of sources) {
    const streams = await listStreams(packager, source, { signal });
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

/**
 * The key is in a file of this user, and not in the arguments, which every user of the machine can list. It is in a folder of its own, since
 * a killed run may leave it, and the output folder may be copied.
 */
async function runWithKey(
  key: Uint8Array,
  keyUrl: string,
  tracks: readonly string[],
  cwd: string,
  { packager, scheme, contentId, signal }: StreamsOptions,
): Promise<void> {
  const keyFolder = await mkdtemp(join(tmpdir(), 'latchkey-key-'));
  try {
    const flags = join(keyFolder, 'flags');
    const keyId = keyIdOf(contentId, undefined).toString('hex');
    const keys = `--keys=label=:key_id=${keyId}:key=${Buffer.from(key).toString('hex')}\n`;
    await writeFile(flags, keys, { mode: 0o600, flag: 'wx' });
    const args = [
      ...['--quiet', `--flagfile=${flags}`, '--enable_raw_key_encryption', `--protection_scheme=${scheme}`],
      // Players have the key id of the manifest: dash.js 5.2 fails by one in the media. Without a clear lead, nothing plays without a licence.
      ...['--protection_systems=CommonSystem', '--mp4_include_pssh_in_stream=false', '--clear_lead=0'],
      `--hls_key_uri=${keyUrl}`,
      ...[`--mpd_output=${manifestName}`, `--hls_master_playlist_output=${playlistName}`, ...tracks],
    ];
    await runPackager(packager, args, { cwd, signal });
  } finally {
    await rm(keyFolder, { recursive: true, force: true });
  }
}
