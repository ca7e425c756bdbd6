import { contentIdOf } from './key-url.ts';
import { PlayerError } from './player-error.ts';
import { isLive, rewritePlaylist } from './rewrite-playlist.ts';

export interface NativeSourceOptions {
  readonly keyServerUrl: string;
  /** Query members of a key URL, such as `access_token`. */
  readonly query: (keyUrl: string) => Promise<Readonly<Record<string, string>>>;
  readonly fetch: typeof globalThis.fetch;
}

/** What a `<video>` is given to play by itself. */
export interface NativeSource {
  readonly src: string;
  /** The first key that the playlists name. */
  readonly keyUrl: string | undefined;
}

/**
 * Reads a playlist and what it refers to, and puts all of it into one `data:` URL, with the credential in its key URLs. (A
 * `blob:` URL would do for Safari on a desktop; iOS does not play one.) A live playlist has to be read again from its own
 * URL, and stays as it is: there only a cookie can carry the credential.
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
