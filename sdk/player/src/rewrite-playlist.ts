/** What becomes of the URLs of a playlist, which are absolute by then. */
export interface PlaylistRewriting {
  readonly key: (url: string) => Promise<string>;
  /** Of a rendition or a variant. */
  readonly playlist: (url: string) => Promise<string>;
}

/** Tags that name a key, and those that name a playlist (RFC 8216 sections 4.3.2.4 and 4.3.4). */
const keyTag = /^#EXT-X-(?:SESSION-)?KEY:/;
const playlistTag = /^#EXT-X-(?:MEDIA|I-FRAME-STREAM-INF):/;
const uriAttribute = /([:,]URI=)"([^"]*)"/;

/**
 * A playlist that can be read from anywhere: every URL absolute, those of keys and playlists as `rewriting` has them.
 *
 * @param playlistUrl where it was read
 */
export async function rewritePlaylist(
  text: string,
  playlistUrl: string,
  rewriting: PlaylistRewriting,
): Promise<string> {
  const isMaster = /^#EXT-X-STREAM-INF:/m.test(text);
  const rewriteLine = async (line: string): Promise<string> => {
    if (line === '') return line;
    if (!line.startsWith('#')) {
      const url = new URL(line, playlistUrl).href;
      return isMaster ? rewriting.playlist(url) : url;
    }
    const uri = uriAttribute.exec(line)?.[2];
    if (uri === undefined) return line;
    const url = new URL(uri, playlistUrl).href;
    const rewritten = keyTag.test(line)
      ? await rewriting.key(url)
      : playlistTag.test(line)
        ? await rewriting.playlist(url)
        : url;
    return line.replace(uriAttribute, (_, name: string) => `${name}"${rewritten}"`);
  };
  const lines = text.split('\n').map((line) => line.trim());
  return (await Promise.all(lines.map(rewriteLine))).join('\n');
}

/** Whether a playlist grows while it is played, so that it has to be read again and again. */
export function isLive(mediaPlaylist: string): boolean {
  return /^#EXTINF:/m.test(mediaPlaylist) && !/^#EXT-X-ENDLIST/m.test(mediaPlaylist);
}
