import { contentIdOf } from './key-url.ts';
import { canReadBlobs, toBlobUrl } from './shaka-key.ts';
import { createShakaSession, type ShakaOptions } from './shaka-session.ts';

export type { KeyWait } from './emitter.ts';
export type { Lease } from './lease.ts';
export { type KeyWaitCode, PlayerError, type PlayerErrorCode } from './player-error.ts';
export type { AuthReason, KeyServerAuth, KeyServerOptions, LeaseOptions } from './player-options.ts';
export type { ShakaOptions } from './shaka-session.ts';

/** `shaka.net.NetworkingEngine.RequestType.MANIFEST`: playlists too. */
const manifestType = 0;

/** The part of Shaka Player's request that is read and written. */
export interface ShakaRequest {
  uris: string[];
  headers: Record<string, string>;
}

/** For `player.getNetworkingEngine().registerRequestFilter(filter)`. */
export interface ShakaRequestFilter {
  (type: number, request: ShakaRequest): Promise<void>;
  /**
   * Releases the lease, after `player.unload()` or `player.destroy()`. The next key starts again, with a lease for its
   * content. Never fails.
   */
  release(): Promise<void>;
}

/**
 * Makes a request filter for Shaka Player 5, which fetches the keys of the key server with a fresh token and a lease, and gives
 * each to Shaka as a `blob:` URL. Other requests are not changed. Shaka gives up a key after one refusal, so it never sees one
 * that only has to wait. One playback is one lease: it is for `contentId`, or for the content of the first key, and is renewed
 * until `release()`. A key of another content, such as an advertisement, gets the token alone, or its own lease if the server
 * demands one.
 *
 * Where the page's Content-Security-Policy forbids to read `blob:` URLs, Shaka requests each key a second time, with the same
 * credentials.
 *
 * @throws TypeError for a `keyServerUrl` that is not an absolute URL, and without a `keyServerAuth`
 */
export function shakaRequestFilter(options: ShakaOptions): ShakaRequestFilter {
  const { keyServerUrl } = options;
  const session = createShakaSession(options);
  let readsBlobs: Promise<boolean> | undefined;

  async function filter(type: number, request: ShakaRequest): Promise<void> {
    const [contentId, ...others] = request.uris.map((uri) => contentIdOf(uri, keyServerUrl));
    const [uri] = request.uris;
    if (type === manifestType && uri !== undefined) session.notePlaylist(uri);
    // Shaka chooses among the addresses, so all of them have to be the key server's.
    if (uri === undefined || contentId === undefined || others.includes(undefined)) return;
    const { key, credentials } = await session.load(uri, contentId);
    readsBlobs ??= canReadBlobs();
    if (await readsBlobs) {
      request.uris = [toBlobUrl(key)];
      return;
    }
    const { token, leaseId } = await credentials();
    if (token !== '') request.headers.Authorization = `Bearer ${token}`;
    if (leaseId !== undefined) request.headers['X-Lease-Id'] = leaseId;
  }
  return Object.assign(filter, { release: session.release });
}
