import { isPlaylist } from './content-types.ts';
import type { PreparedFile } from './prepare-files.ts';
import type { UploadFile } from './upload-options.ts';

/** A file, and the paths that must arrive before it. */
interface OrderedFile {
  readonly index: number;
  readonly needs: readonly string[];
}

/**
 * Groups that are uploaded one after another: segments and other files, then media playlists, then multivariant ones. So no
 * viewer reads a playlist that names a missing file.
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

/** A playlist that cannot be read has no names here. Its own upload reports the error. */
async function readNames({ path, data }: UploadFile): Promise<PlaylistNames> {
  try {
    const body = typeof data === 'function' ? await data() : data;
    return readPlaylist(path, await new Response(body).text());
  } catch {
    return { multivariant: false, paths: [] };
  }
}

interface PlaylistNames {
  /** Whether it names playlists (RFC 8216 section 4.3.4), so that it comes after them. */
  readonly multivariant: boolean;
  /** Paths that it names, relative to the same root as its own. Without URLs of other hosts and keys. */
  readonly paths: readonly string[];
}

/** The root of the upload. A URI that leads elsewhere has another origin. */
const root = 'upload://root/';

/**
 * @param path of the playlist
 * @param text of the playlist (RFC 8216 section 4.1: a line is a tag, a URI or a comment)
 */
export function readPlaylist(path: string, text: string): PlaylistNames {
  const base = new URL(path.split('/').map(encodeURIComponent).join('/'), root);
  const uris = text.split(/\r?\n/).flatMap((line) => {
    if (!line.startsWith('#')) return line.trim() ? [line.trim()] : [];
    if (/^#EXT-X-(SESSION-)?KEY:/.test(line)) return [];
    return [...line.matchAll(/[:,]URI="([^"]*)"/g)].map(([, uri = '']) => uri);
  });
  const paths = uris.flatMap((uri) => {
    const url = URL.canParse(uri, base.href) ? new URL(uri, base) : undefined;
    return url?.href.startsWith(root) ? [decode(url.pathname.slice(1))] : [];
  });
  return { multivariant: /^#EXT-X-(STREAM-INF|MEDIA|I-FRAME-STREAM-INF):/m.test(text), paths };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
