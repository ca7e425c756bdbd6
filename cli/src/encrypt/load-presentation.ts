import { readFile, realpath } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { type MediaPlaylist, parseMediaPlaylist } from '../hls/media-playlist.ts';
import { type MultivariantPlaylist, parseMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { classifyPlaylist, type PlaylistText, playlistError, splitPlaylist } from '../hls/playlist-lines.ts';
import { inspectTags } from '../hls/refused-tags.ts';
import { isWithin, resolveReference } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import type { EncryptOptions } from './encrypt-options.ts';
import { createRenditionNamer } from './target-names.ts';

/** One media playlist of a presentation. */
export interface Rendition {
  /** Its folder in the output, unique, of `A-Z a-z 0-9 _ -`. Empty if a media playlist was given, which is in the output folder itself. */
  readonly folder: string;
  /** Absolute path of its playlist. */
  readonly path: string;
  readonly playlist: MediaPlaylist;
}

export interface Presentation {
  /** The playlist that was given. Absolute, with symbolic links resolved, as `sourceRoot` is. */
  readonly path: string;
  /** Nothing outside of this folder is read. */
  readonly sourceRoot: string;
  /** Undefined if a media playlist was given: then there is one rendition. */
  readonly multivariant: MultivariantPlaylist | undefined;
  readonly renditions: readonly Rendition[];
  /** The rendition of each URI in the multivariant playlist. Several URIs may name one. */
  readonly renditionOfUri: ReadonlyMap<string, Rendition>;
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** Reads a presentation's playlists from disk. @throws AppError `VALIDATION_FAILED` for input that cannot be encrypted */
export async function loadPresentation(options: EncryptOptions): Promise<Presentation> {
  const playlistPath = await realPathOf(options.playlist, 'the playlist');
  const root = dirname(playlistPath);
  const sourceRoot = options.sourceRoot ? await realPathOf(options.sourceRoot, '--source-root') : root;
  if (!isWithin(playlistPath, sourceRoot)) {
    throw playlistError({ playlist: playlistPath }, `lies outside of --source-root ${sourceRoot}`);
  }
  const warnings: string[] = [];
  const nameRendition = createRenditionNamer();
  const renditionOfUri = new Map<string, Rendition>();
  const loaded = { path: playlistPath, sourceRoot, renditionOfUri, warnings };
  const loadMedia = (text: PlaylistText, path: string, folder: string): Rendition => {
    warnings.push(...inspectTags(text));
    const playlist = parseMediaPlaylist(text);
    warnings.push(...findHeaderFaults(text, playlist));
    if (!playlist.ended)
      warnings.push(`${text.playlist}: has no #EXT-X-ENDLIST; encrypted as it is at this moment`);
    return { folder, path, playlist };
  };

  const text = await readPlaylist(playlistPath, root);
  if (classifyPlaylist(text) === 'media') {
    return { ...loaded, multivariant: undefined, renditions: [loadMedia(text, playlistPath, '')] };
  }
  warnings.push(...inspectTags(text));
  const multivariant = parseMultivariantPlaylist(text);
  const byPath = new Map<string, Rendition>();
  for (const { uri, place } of multivariant.named) {
    const path = await resolveReference(uri, playlistPath, sourceRoot, place);
    let rendition = byPath.get(path);
    if (!rendition) {
      const media = await readPlaylist(path, root);
      if (classifyPlaylist(media) !== 'media')
        throw playlistError(place, `"${showUrl(uri)}" is not a media playlist`);
      rendition = loadMedia(media, path, nameRendition(relative(root, path)));
      byPath.set(path, rendition);
    }
    renditionOfUri.set(uri, rendition);
  }
  if (byPath.size === 0) throw playlistError({ playlist: text.playlist }, 'names no media playlist');
  return { ...loaded, multivariant, renditions: [...byPath.values()] };
}

async function readPlaylist(path: string, root: string): Promise<PlaylistText> {
  return splitPlaylist(relative(root, path), await readFile(path));
}

/** @throws AppError `VALIDATION_FAILED` if there is no such file or folder */
export async function realPathOf(path: string, what: string): Promise<string> {
  return realpath(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    throw refusal(`${what} ${showUrl(path)} is not there`, cause);
  });
}

/**
 * Tags of a whole media playlist that players refuse by their value or their place (RFC 8216 section 4.3.3). An encrypted playlist has
 * them as they must be.
 *
 * @returns one sentence each
 */
function findHeaderFaults({ playlist, lines }: PlaylistText, media: MediaPlaylist): string[] {
  const faults: string[] = [];
  const { segments, targetSeconds } = media;
  const target = lines.find(({ tag }) => tag === 'EXT-X-TARGETDURATION');
  const stated = Number(target?.value);
  const longer = segments.find(({ seconds }) => Math.round(seconds) > stated);
  const written = `players refuse that, and ${targetSeconds} is written`;
  if (!target) faults.push(`${playlist}: has no #EXT-X-TARGETDURATION; ${written}`);
  else if (longer)
    faults.push(
      `${playlist}:${target.number}: #EXT-X-TARGETDURATION is below the ${longer.seconds} s of line ${longer.place.line}, rounded; ${written}`,
    );
  else if (stated !== targetSeconds)
    faults.push(
      `${playlist}:${target.number}: #EXT-X-TARGETDURATION is not a whole number of seconds from 1; ${written}`,
    );
  const [first] = segments;
  for (const { tag, number } of lines)
    if (tag === 'EXT-X-MEDIA-SEQUENCE' && first && number > first.place.line)
      faults.push(
        `${playlist}:${number}: #EXT-X-MEDIA-SEQUENCE stands after a segment, where players refuse it; it is written before the first one`,
      );
  return faults;
}
