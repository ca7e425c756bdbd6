import { basename } from 'node:path';
import { parseMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { playlistError } from '../hls/playlist-error.ts';
import { classifyPlaylist, splitPlaylist } from '../hls/playlist-lines.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { isUrl } from '../source/request-source.ts';
import { type EncryptedPlaylist, readEncryptedPlaylist } from './encrypted-playlist.ts';
import type { SourceFiles } from './source-files.ts';

/** A playlist of a day's segments has some 5 MB. */
const playlistMostBytes = 16 * 1024 * 1024;

/** A playlist, and where it is. */
export interface LocatedPlaylist extends EncryptedPlaylist {
  /** Its absolute path, or the URL by which it is named. */
  readonly location: string;
  /** The absolute path or URL to which its references are relative: the one that a redirect led to. */
  readonly base: string;
}

/**
 * Reads a presentation: the given playlist and, if it is a multivariant one, those that it names.
 *
 * @param location absolute path or URL
 * @throws AppError `VALIDATION_FAILED`
 */
export async function loadPlaylists(location: string, files: SourceFiles): Promise<LocatedPlaylist[]> {
  const playlists = await loadAll(location, files);
  if (playlists.some(({ segments }) => segments.length > 0)) return playlists;
  throw refusal(
    `${showUrl(location)} is not encrypted: no segment of it has an EXT-X-KEY with METHOD=AES-128`,
  );
}

async function loadAll(location: string, files: SourceFiles): Promise<LocatedPlaylist[]> {
  const { text, base } = await read(location, files);
  const kind = classifyPlaylist(text);
  // A redirect moves the whole presentation, so what the first playlist names lies next to where it led.
  const playlists: LocatedPlaylist[] = [{ ...readEncryptedPlaylist(text, kind), location: base, base }];
  if (kind === 'media') return playlists;
  const seen = new Set<string>();
  for (const line of parseMultivariantPlaylist(text).lines) {
    if ('text' in line) continue;
    const uri = 'variantUri' in line ? line.variantUri : line.taggedUri;
    const place = { playlist: text.playlist, line: line.line };
    const at = await files.resolve(uri, base, place);
    if (seen.has(at)) continue;
    seen.add(at);
    const media = await read(at, files);
    if (classifyPlaylist(media.text) !== 'media')
      throw playlistError(place, `"${showUrl(uri)}" is not a media playlist`);
    playlists.push({ ...readEncryptedPlaylist(media.text, 'media'), location: at, base: media.base });
  }
  return playlists;
}

async function read(location: string, files: SourceFiles) {
  const { bytes, location: base } = await files.read(location, { mostBytes: playlistMostBytes });
  return { text: splitPlaylist(isUrl(location) ? showUrl(location) : basename(location), bytes), base };
}
