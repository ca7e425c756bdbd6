import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { decodePercent, isWithin } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { isUrl } from '../source/request-source.ts';
import { writeAtomically } from '../write-file.ts';

/** Ends the name of the playlist that was there. */
const keptEnding = '.before-import';

interface PlacedPlaylist {
  readonly path: string;
  readonly text: string;
  /** Where the playlist that was there is kept; null if there was none. */
  readonly kept: string | null;
}

/**
 * Finds the places of the rewritten playlists: their old ones, or a folder with the same relative paths.
 *
 * @returns no place if neither is wanted
 * @throws AppError `VALIDATION_FAILED` if a file is in the way
 */
export function placePlaylists(
  rewritten: readonly { location: string; text: string }[],
  { inPlace, playlistsTo }: { readonly inPlace?: true; readonly playlistsTo?: string },
): PlacedPlaylist[] {
  if (!inPlace && playlistsTo === undefined) return [];
  if (rewritten.length === 0) throw refusal('--in-place and --playlists-to are for playlists');
  if (inPlace && playlistsTo !== undefined)
    throw refusal('--in-place and --playlists-to are both given; give one');
  if (playlistsTo !== undefined) return placeInFolder(rewritten, resolve(playlistsTo));
  return rewritten.map(({ location, text }) => {
    if (isUrl(location))
      throw refusal('--in-place is for playlists on disk; --playlists-to <folder> is for URLs');
    const kept = `${location}${keptEnding}`;
    if (existsSync(kept))
      throw refusal(
        `${showUrl(kept)} already exists: it may be the only copy of the playlist before an earlier import`,
      );
    return { path: location, text, kept };
  });
}

function placeInFolder(
  rewritten: readonly { location: string; text: string }[],
  folder: string,
): PlacedPlaylist[] {
  const paths = rewritten.map(({ location }) => (isUrl(location) ? pathOf(location) : location));
  const root = commonFolder(paths);
  return rewritten.map(({ text }, index) => {
    const path = join(folder, relative(root, paths[index] ?? ''));
    if (!isWithin(path, folder)) throw refusal(`${showUrl(path)} lies outside of ${folder}`);
    if (existsSync(path))
      throw refusal(`${showUrl(path)} exists already and is not overwritten; give a new folder`);
    return { path, text, kept: null };
  });
}

const pathOf = (url: string) => new URL(url).pathname.split('/').map(decodePercent).join('/');

/** The folder that holds all of the files. */
function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0] ?? '/');
  while (!paths.every((path) => path.startsWith(folder === '/' ? '/' : `${folder}/`)))
    folder = dirname(folder);
  return folder;
}

/** Writes each whole, or not at all. @returns their paths */
export async function writePlaylists(playlists: readonly PlacedPlaylist[]): Promise<string[]> {
  for (const { path, text, kept } of playlists) {
    await mkdir(dirname(path), { recursive: true });
    if (kept !== null) await copyFile(path, kept);
    await writeAtomically(path, text, { durable: true });
  }
  return playlists.map(({ path }) => path);
}
