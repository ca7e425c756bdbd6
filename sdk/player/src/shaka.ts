import { systemClock } from './clock.ts';
import { createKeyServer, type KeyServer } from './key-server.ts';
import { contentIdOf } from './key-url.ts';
import { createDeviceId } from './lease.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { PlayerError } from './player-error.ts';
import { type KeyServerOptions, patienceMsOf } from './player-options.ts';
import { keyBackOff, retry } from './retry.ts';
import { createSessionLeases, type SessionLeases } from './session-leases.ts';
import { createIdleWatch, watchPage } from './viewer-watch.ts';

export type { Lease } from './lease.ts';
export { PlayerError, type PlayerErrorCode } from './player-error.ts';
export type { AuthReason, KeyServerAuth, KeyServerOptions, LeaseOptions } from './player-options.ts';

/** The part of Shaka Player's request that is read and written. */
export interface ShakaRequest {
  readonly uris: string[];
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
 * Makes a request filter for Shaka Player 5. Requests for keys of the key server get a fresh token and a lease. Others are not
 * changed. One playback is one lease: it is for `contentId`, or for the content of the first key, and is renewed until
 * `release()`. A key of another content, such as an advertisement, gets the token alone, or its own lease if the server
 * demands one.
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
    // Shaka sends the same headers to each of the addresses, so all of them have to be the key server's.
    if (uri === undefined || contentId === undefined || others.includes(undefined)) return;
    const { token, leaseId } = await session.credentialsFor(uri, contentId);
    if (token !== '') request.headers.Authorization = `Bearer ${token}`;
    if (leaseId !== undefined) request.headers['X-Lease-Id'] = leaseId;
  }
  return Object.assign(filter, { release: session.release });
}

export interface ShakaOptions extends KeyServerOptions {
  /** The content that the lease is for. Default: that of the first key. */
  readonly contentId?: string;
  /** With it, the lease is released while the video has ended or is paused for `releaseAfterPausedSeconds`. */
  readonly video?: HTMLVideoElement;
  /** The lease is lost, for example by a revocation: say so, and unload. */
  readonly onError?: (error: PlayerError) => void;
}

interface KeyCredentials {
  /** Empty for no token. */
  readonly token: string;
  /** undefined if the key is requested without a lease. */
  readonly leaseId: string | undefined;
}

/** The leases and tokens of one Shaka Player, one playback after another. */
interface ShakaSession {
  /** @throws PlayerError if there is no lease or no token in time */
  credentialsFor(keyUrl: string, contentId: string): Promise<KeyCredentials>;
  /** Releases the leases. The next key starts again. Never fails. */
  release(): Promise<void>;
}

function createShakaSession(options: ShakaOptions): ShakaSession {
  const { clock = systemClock, random = Math.random, video } = options;
  const server = createKeyServer(options);
  const deviceId = createDeviceId();
  const patienceMs = patienceMsOf(options);
  const givesUp = (sinceMs: number) => clock.now() - sinceMs >= patienceMs;
  const patience = { clock, random, maxRetryAfterMs: patienceMs };
  const idle = createIdleWatch(clock, options, () => playback.leases);
  let playback = begin(Promise.resolve());
  let unwatchPage: (() => void) | undefined;

  /** @param before the release of the previous leases */
  function begin(before: Promise<unknown>) {
    const leases: SessionLeases = createSessionLeases({
      ...{ options, server, deviceId, ...patience, givesUp, before },
      contentId: options.contentId,
      onChange: () => {},
      onRetry: () => {},
      onLost(error) {
        leases.stop();
        options.onError?.(error);
      },
      onWoken: idle.begin,
    });
    return {
      leases,
      ending: new AbortController(),
      keeperFor: createKeeperSearch(leases, server.send, options),
    };
  }

  function watchLeaving(): () => void {
    if (video) idle.watch(video);
    return watchPage({
      onHide: () => playback.leases.releaseNow(),
      onReturn: () => playback.leases.isResting || playback.leases.wake(),
    });
  }

  return {
    async credentialsFor(keyUrl, contentId) {
      const { ending, keeperFor } = playback;
      if (options.leases !== false) unwatchPage ??= watchLeaving();
      const leaseId = await (await keeperFor(keyUrl, contentId))?.leaseId();
      const startMs = clock.now();
      // Shaka repeats failed requests, but not failed filters.
      const token = await retry(() => server.token('key'), {
        ...{ ...patience, ...keyBackOff, signal: ending.signal },
        givesUp: () => givesUp(startMs),
      });
      return { token, leaseId };
    },
    async release() {
      unwatchPage?.();
      unwatchPage = undefined;
      idle.stop();
      const { leases, ending } = playback;
      ending.abort(new PlayerError('ABORTED', 'The lease was given back.'));
      const released = leases.end();
      playback = begin(released);
      await released;
    },
  };
}

/** @returns finds the keeper for a key; undefined if the key is requested without a lease */
function createKeeperSearch(
  leases: SessionLeases,
  send: KeyServer['send'],
  options: ShakaOptions,
): (keyUrl: string, contentId: string) => Promise<LeaseKeeper | undefined> {
  /** By content: the request that shows whether a lease is demanded. */
  const probes = new Map<string, Promise<unknown>>();

  return async (keyUrl, contentId) => {
    const keeper = leases.keeperFor(keyUrl, contentId);
    if (keeper || options.leases === false) return keeper;
    // A filter sees no answers. A separate request shows whether the server demands a lease for another content.
    const probe = () => leases.withoutLease(() => send({ url: keyUrl, reason: 'key' })).catch(() => {});
    const probing = probes.get(contentId) ?? probe();
    probes.set(contentId, probing);
    await probing;
    return leases.keeperFor(keyUrl, contentId);
  };
}
