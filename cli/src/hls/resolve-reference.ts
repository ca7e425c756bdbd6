import { realpath } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { showUrl } from '../show-url.ts';
import { type Place, playlistError } from './playlist-lines.ts';

/**
 * The file that a URI of a playlist names.
 *
 * A query string and a fragment are not part of the name, unless a file of exactly that name exists: some downloaders keep
 * them. Nothing outside of `sourceRoot` is opened, also not through `..` or a symbolic link. Else a stranger's playlist could
 * copy a private file of this machine into the output.
 *
 * @param playlistPath absolute path of the playlist that holds the URI
 * @param sourceRoot absolute path, with symbolic links resolved
 * @returns an absolute path, with symbolic links resolved
 * @throws AppError `VALIDATION_FAILED`
 */
export async function resolveReference(
  uri: string,
  playlistPath: string,
  sourceRoot: string,
  place: Place,
): Promise<string> {
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(uri)) {
    const detail = `"${showUrl(uri)}" is not a file of the presentation; download it and name it by a relative path`;
    throw playlistError(place, detail);
  }
  if (uri.startsWith('/')) {
    throw playlistError(
      place,
      `"${showUrl(uri)}" is an absolute path; accepted: a path relative to the playlist`,
    );
  }
  for (const name of fileNames(uri)) {
    const path = await realpath(resolve(dirname(playlistPath), name)).catch(() => undefined);
    if (path === undefined) continue;
    if (!isWithin(path, sourceRoot)) {
      const detail = `"${showUrl(uri)}" lies outside of ${sourceRoot}; --source-root <folder> names a wider folder to read from`;
      throw playlistError(place, detail);
    }
    return path;
  }
  const detail = `"${showUrl(uri)}" is not there (looked from ${dirname(playlistPath)})`;
  throw playlistError(place, detail, new FileMissing(detail));
}

/** The cause of the refusal of a file that is not there: in a live presentation it may come, or may have been removed. */
export class FileMissing extends Error {}

/** Whether a path is a folder or inside it. Both are absolute. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}

/** A URI without its query and fragment. */
export function withoutQuery(uri: string): string {
  return uri.split(/[?#]/, 1)[0] ?? '';
}

/** A text without percent-encoding. A lone % is not percent-encoding: such a text stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function fileNames(uri: string): string[] {
  const path = withoutQuery(uri);
  return [...new Set([decodePercent(path), path, uri])].filter((name) => name !== '' && !name.includes('\0'));
}
