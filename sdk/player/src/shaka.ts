import { contentIdOf } from './key-url.ts';
import { createShakaSession, type ShakaOptions } from './shaka-session.ts';

export type { Lease } from './lease.ts';
export { PlayerError, type PlayerErrorCode } from './player-error.ts';
export type { AuthReason, KeyServerAuth, KeyServerOptions, LeaseOptions } from './player-options.ts';
export type { ShakaOptions } from './shaka-session.ts';

/** As much of Shaka Player's request as is looked at and written to. */
export interface ShakaRequest {
  readonly uris: string[];
  headers: Record<string, string>;
}

/** For `player.getNetworkingEngine().registerRequestFilter(filter)`. */
export interface ShakaRequestFilter {
  (type: number, request: ShakaRequest): Promise<void>;
  /**
   * Gives the lease back, after `player.unload()` or `player.destroy()`. The next key begins anew, with a lease for its
   * content. Never fails.
   */
  release(): Promise<void>;
}

/**
 * Makes a request filter for Shaka Player 5: a fresh token and a lease on the requests for keys of the key server, nothing on
 * any other. One playback is one lease, as the server counts them: it is for `contentId`, or the content of the first key,
 * and is renewed until `release()`. A key of another content, such as an advertisement's, gets the token alone, or a lease
 * of its own where the server demands one.
 *
 * @throws TypeError for a `keyServerUrl` that is not absolute, and without a `keyServerAuth`
 */
export function shakaRequestFilter(options: ShakaOptions): ShakaRequestFilter {
  const { keyServerUrl } = options;
  new URL(keyServerUrl);
  const session = createShakaSession(options);

  async function filter(_type: number, request: ShakaRequest): Promise<void> {
    const [contentId, ...others] = request.uris.map((uri) => contentIdOf(uri, keyServerUrl));
    const [uri] = request.uris;
    // Shaka goes from one address to the next with the same headers: all of them have to be the key server's.
    if (uri === undefined || contentId === undefined || others.includes(undefined)) return;
    const { token, leaseId } = await session.credentialsFor(uri, contentId);
    if (token !== '') request.headers.Authorization = `Bearer ${token}`;
    if (leaseId !== undefined) request.headers['X-Lease-Id'] = leaseId;
  }
  return Object.assign(filter, { release: session.release });
}
