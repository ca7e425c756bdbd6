import { keyPath } from '../encrypt/content-key-source.ts';
import { playlistError } from '../hls/playlist-error.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { type EncryptedSegment, rewriteKeys } from './encrypted-playlist.ts';
import { type FoundKey, readKeyBytes } from './imported-key.ts';
import { type LocatedPlaylist, loadPlaylists } from './load-playlists.ts';
import { proveKey } from './prove-key.ts';
import type { SourceFiles } from './source-files.ts';

/** 16 bytes, or 32 digits and an end of line. */
const keyMostBytes = 64;
/** A segment of 10 s at 100 Mbit/s has half of this. */
const segmentMostBytes = 256 * 1024 * 1024;
/** Segments of a key that are looked for, where the first ones are gone. */
const segmentsTried = 3;

/** An encrypted presentation, whose keys are proved. */
export interface ImportedPresentation {
  readonly keys: readonly FoundKey[];
  /** What each key decrypted, for the report. */
  readonly proofs: readonly string[];
  /**
   * The playlists with the new URIs of the keys.
   *
   * @param keyUrlBase what stands before `/keys/`
   */
  rewrite(keyUrlBase: string): { location: string; text: string }[];
}

/** A key file that the playlists name. */
interface NamedKey {
  readonly location: string;
  readonly key: Buffer;
  readonly segments: { segment: EncryptedSegment; playlist: string }[];
}

/**
 * Reads a presentation, its keys, and a segment of each. The keys become epochs in the order in which the playlists name them; a single one
 * is the key without an epoch. So the same presentation gets the same epochs when it is imported again.
 *
 * @param location absolute path or URL of its playlist
 * @throws AppError `VALIDATION_FAILED` if anything of it cannot be read, or if a key does not decrypt its segment: then nothing is stored
 */
export async function readPresentation(
  location: string,
  contentId: string,
  files: SourceFiles,
): Promise<ImportedPresentation> {
  const playlists = await loadPlaylists(location, files);
  const named = await findKeys(playlists, files);
  const epochs = new Map([...named.keys()].map((at, index) => [at, named.size === 1 ? undefined : index]));
  const proofs: string[] = [];
  for (const key of named.values()) proofs.push(await prove(key, files));
  const resolved = await resolveTags(playlists, files);
  return {
    keys: [...named.values()].map(({ location: at, key }) => ({
      contentId,
      epoch: epochs.get(at),
      key,
      place: showUrl(at),
    })),
    proofs,
    rewrite: (keyUrlBase) =>
      playlists.map((playlist) => ({
        location: playlist.location,
        text: rewriteKeys(playlist, (tag) => {
          const at = resolved.get(tag);
          // A session key that no segment uses stays as it is.
          if (at === undefined || !named.has(at)) return undefined;
          return `${keyUrlBase}${keyPath({ contentId, epoch: epochs.get(at) })}`;
        }),
      })),
  };
}

async function resolveTags(playlists: readonly LocatedPlaylist[], files: SourceFiles) {
  const resolved = new Map<object, string>();
  for (const { location, keys } of playlists)
    for (const tag of keys) resolved.set(tag, await files.resolve(tag.uri, location, tag.place));
  return resolved;
}

/** The keys that segments are encrypted with, in the order of the playlists. */
async function findKeys(
  playlists: readonly LocatedPlaylist[],
  files: SourceFiles,
): Promise<Map<string, NamedKey>> {
  const named = new Map<string, NamedKey>();
  for (const { location, segments } of playlists) {
    for (const segment of segments) {
      const at = await files.resolve(segment.key.uri, location, segment.key.place);
      let key = named.get(at);
      if (!key) {
        const bytes = await files.read(at, { mostBytes: keyMostBytes });
        key = { location: at, key: readKeyBytes(bytes, showUrl(at)), segments: [] };
        named.set(at, key);
      }
      if (key.segments.length < segmentsTried) key.segments.push({ segment, playlist: location });
    }
  }
  return named;
}

/** @returns what was decrypted. @throws AppError `VALIDATION_FAILED` */
async function prove({ location, key, segments }: NamedKey, files: SourceFiles): Promise<string> {
  const reasons: string[] = [];
  for (const { segment, playlist } of segments) {
    const { uri, byteRange, line } = segment.segment;
    const place = { playlist: segment.key.place.playlist, line };
    const at = await files
      .resolve(uri, playlist, place)
      .catch((error: Error) => void reasons.push(error.message));
    if (at === undefined) continue;
    const bytes = await files
      .read(at, { mostBytes: segmentMostBytes, range: byteRange })
      .catch((error: Error) => void reasons.push(error.message));
    if (bytes === undefined) continue;
    const media = proveKey(bytes, key, segment.iv);
    if (media) return `${showUrl(location)} decrypts ${showUrl(at)}: ${media}`;
    throw playlistError(
      place,
      `${showUrl(location)} is not the key of "${showUrl(uri)}": what it decrypts is not media. Nothing was stored`,
    );
  }
  throw refusal(
    `${showUrl(location)} could not be proved, because none of its segments can be read: ${reasons.join('; ')}`,
  );
}
