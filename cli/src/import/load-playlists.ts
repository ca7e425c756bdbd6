import { basename } from 'node:path';
import { parseMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { playlistError } from '../hls/playlist-error.ts';
import { classifyPlaylist, splitPlaylist } from '../hls/playlist-lines.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { type EncryptedPlaylist, readEncryptedPlaylist } from './encrypted-playlist.ts';
import { isUrl, type SourceFiles } from './source-files.ts';

/** A playlist of a day's segments has some 5 MB. */
const playlistMostBytes = 16 * 1024 * 1024;

/** A playlist with its absolute path or URL. */
export interface LocatedPlaylist extends EncryptedPlaylist {
  readonly location: string;
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
  const text = await read(location, files);
  if (classifyPlaylist(text) === 'media') return [{ ...readEncryptedPlaylist(text, 'media'), location }];
  const playlists: LocatedPlaylist[] = [{ ...readEncryptedPlaylist(text, 'multivariant'), location }];
  const seen = new Set<string>();
  for (const line of parseMultivariantPlaylist(text).lines) {
    if ('text' in line) continue;
    const uri = 'variantUri' in line ? line.variantUri : line.taggedUri;
    const place = { playlist: text.playlist, line: line.line };
    const at = await files.resolve(uri, location, place);
    if (seen.has(at)) continue;
    seen.add(at);
    const media = await read(at, files);
    if (classifyPlaylist(media) !== 'media')
      throw playlistError(place, `"${showUrl(uri)}" is not a media playlist`);
    playlists.push({ ...readEncryptedPlaylist(media, 'media'), location: at });
  }
  return playlists;
}

async function read(location: string, files: SourceFiles) {
  const bytes = await files.read(location, { mostBytes: playlistMostBytes });
  return splitPlaylist(isUrl(location) ? showUrl(location) : basename(location), bytes);
}
