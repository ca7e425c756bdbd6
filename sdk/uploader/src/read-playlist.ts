/** What decides when a playlist may be uploaded. */
export interface PlaylistNames {
  /** It names playlists (RFC 8216 section 4.3.4), so it comes after them. */
  readonly multivariant: boolean;
  /** Paths that it names, relative to the same root as its own. Other hosts and keys are not among them. */
  readonly paths: readonly string[];
}

/** Stands for the root of the upload; a URI that leads elsewhere has another origin. */
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
