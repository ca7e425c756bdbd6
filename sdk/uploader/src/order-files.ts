import { isPlaylist } from './content-types.ts';
import type { PreparedFile } from './prepare-files.ts';
import { type PlaylistNames, readPlaylist } from './read-playlist.ts';
import type { UploadFile } from './upload-options.ts';

/** A file, and the paths that have to be there before it. */
export interface OrderedFile {
  readonly index: number;
  readonly needs: readonly string[];
}

/**
 * Groups that are uploaded one after the other: segments and whatever else, then media playlists, then multivariant ones.
 * So nobody ever reads a playlist that names what is not there yet.
 *
 * @returns indices into `files`
 */
export async function orderFiles(files: readonly PreparedFile[]): Promise<OrderedFile[][]> {
  const groups: [OrderedFile[], OrderedFile[], OrderedFile[]] = [[], [], []];
  for (const [index, { file, refusal }] of files.entries()) {
    if (refusal) continue;
    const names = isPlaylist(file.path) ? await readNames(file) : undefined;
    const group = names ? (names.multivariant ? 2 : 1) : 0;
    groups[group].push({ index, needs: names?.paths ?? [] });
  }
  return groups;
}

/** A playlist that cannot be read names nothing here; its own upload says why. */
async function readNames({ path, data }: UploadFile): Promise<PlaylistNames> {
  try {
    const body = typeof data === 'function' ? await data() : data;
    return readPlaylist(path, await new Response(body).text());
  } catch {
    return { multivariant: false, paths: [] };
  }
}
