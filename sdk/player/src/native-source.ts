import { contentIdOf } from './key-url.ts';
import { PlayerError } from './player-error.ts';

interface NativeSourceOptions {
  readonly keyServerUrl: string;
  /** Query members of a key URL, such as `access_token`. */
  readonly query: (keyUrl: string) => Promise<Readonly<Record<string, string>>>;
  readonly fetch: typeof globalThis.fetch;
}

interface NativeSource {
  readonly src: string;
  /** The first key that the playlists name. */
  readonly keyUrl: string | undefined;
}

/**
 * Reads a playlist and the playlists that it names, and puts all into one `data:` URL, with the credential in the key URLs.
 * (iOS does not play a `blob:` URL.) A live playlist has to be read again from its own URL, so it stays unchanged, and only
 * a cookie can carry the credential.
 *
 * @throws PlayerError `MEDIA_NETWORK`
 */
export async function makeNativeSource(url: string, options: NativeSourceOptions): Promise<NativeSource> {
  const absolute = new URL(url, globalThis.document?.baseURI).href;
  let hasLive = false;
  let keyUrl: string | undefined;

  async function withQuery(ofKey: string): Promise<string> {
    if (contentIdOf(ofKey, options.keyServerUrl) === undefined) return ofKey;
    keyUrl ??= ofKey;
    const authorized = new URL(ofKey);
    for (const [name, value] of Object.entries(await options.query(ofKey)))
      authorized.searchParams.set(name, value);
    return authorized.href;
  }

  async function toDataUrl(playlistUrl: string): Promise<string> {
    const { text, finalUrl } = await read(playlistUrl, options.fetch);
    hasLive ||= isLive(text);
    return encode(await rewritePlaylist(text, finalUrl, { key: withQuery, playlist: toDataUrl }));
  }

  const src = await toDataUrl(absolute);
  return { src: hasLive ? absolute : src, keyUrl };
}

async function read(url: string, fetch: typeof globalThis.fetch) {
  try {
    const response = await fetch(url);
    if (response.ok) return { text: await response.text(), finalUrl: response.url || url };
    throw new PlayerError('MEDIA_NETWORK', `${url} answered ${response.status}.`, {
      status: response.status,
    });
  } catch (cause) {
    if (cause instanceof PlayerError) throw cause;
    throw new PlayerError('MEDIA_NETWORK', `${url} cannot be read.`, { cause });
  }
}

function encode(playlist: string): string {
  const bytes = Array.from(new TextEncoder().encode(playlist), (byte) => String.fromCharCode(byte));
  return `data:application/vnd.apple.mpegurl;base64,${btoa(bytes.join(''))}`;
}

/** New URLs for those of a playlist. Each gets an absolute URL. */
interface PlaylistRewriting {
  readonly key: (url: string) => Promise<string>;
  /** Of a rendition or a variant. */
  readonly playlist: (url: string) => Promise<string>;
}

/** Tags that name a key, and those that name a playlist (RFC 8216 sections 4.3.2.4 and 4.3.4). */
const keyTag = /^#EXT-X-(?:SESSION-)?KEY:/;
const playlistTag = /^#EXT-X-(?:MEDIA|I-FRAME-STREAM-INF):/;
const uriAttribute = /([:,]URI=)"([^"]*)"/;

/**
 * Makes every URL of a playlist absolute, and replaces those of keys and playlists by `rewriting`.
 *
 * @param playlistUrl where the playlist was read
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

/** Whether a playlist grows while it is played, so that it has to be read repeatedly. */
export function isLive(mediaPlaylist: string): boolean {
  return /^#EXTINF:/m.test(mediaPlaylist) && !/^#EXT-X-ENDLIST/m.test(mediaPlaylist);
}
