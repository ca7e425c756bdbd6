import { systemClock } from './clock.ts';
import { createDeviceId } from './device-id.ts';
import { createIdleWatch } from './idle-watch.ts';
import { createKeyServer } from './key-server.ts';
import { contentIdOf } from './key-url.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { watchPage } from './page-lifecycle.ts';
import { PlayerError, toPlayerError } from './player-error.ts';
import type { KeyServerOptions } from './player-options.ts';
import { keyBackOff, retry } from './retry.ts';
import { createSessionLeases, type SessionLeases } from './session-leases.ts';

export type { Lease } from './lease.ts';
export { PlayerError, type PlayerErrorCode } from './player-error.ts';
export type { AuthReason, KeyServerAuth, KeyServerOptions, LeaseOptions } from './player-options.ts';

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

export interface ShakaOptions extends KeyServerOptions {
  /** The content that the lease is for. Default: that of the first key. */
  readonly contentId?: string;
  /** With it the lease is given back while the video is over or paused for long, as `releaseAfterPausedSeconds` says. */
  readonly video?: HTMLVideoElement;
  /** The lease is lost, such as by a revocation: say so, and unload. */
  readonly onError?: (error: PlayerError) => void;
}

const defaultPatienceMs = 60_000;

/**
 * Makes a request filter for Shaka Player 5: a fresh token and a lease on the requests for keys of the key server, nothing on
 * any other. One playback is one lease, as the server counts them: it is for `contentId`, or the content of the first key,
 * and is renewed until `release()`. A key of another content, such as an advertisement's, gets the token alone, or a lease
 * of its own where the server demands one.
 *
 * @throws TypeError for a `keyServerUrl` that is not absolute, and without a `keyServerAuth`
 */
export function shakaRequestFilter(options: ShakaOptions): ShakaRequestFilter {
  const { keyServerUrl, clock = systemClock, random = Math.random, patienceSeconds, video } = options;
  new URL(keyServerUrl);
  const server = createKeyServer(options);
  const deviceId = createDeviceId();
  const patienceMs = patienceSeconds === undefined ? defaultPatienceMs : patienceSeconds * 1_000;
  const givesUp = (sinceMs: number) => clock.now() - sinceMs >= patienceMs;
  const patience = { clock, random, maxRetryAfterMs: patienceMs };
  const idle = createIdleWatch({
    clock,
    pausedSeconds: options.leases ? options.leases.releaseAfterPausedSeconds : undefined,
    onIdle: () => leases.rest(),
    onWatched: () => leases.isResting && void leases.wake().catch(() => {}),
  });
  let ending = new AbortController();
  /** The giving back of the leases before. */
  let released: Promise<void> = Promise.resolve();
  let unwatchPage: (() => void) | undefined;
  let leases = createLeases();
  /** By content: whether a lease is demanded was asked for. */
  let probes = new Map<string, Promise<void>>();

  function createLeases(): SessionLeases {
    return createSessionLeases({
      ...{ options, server, deviceId, ...patience, givesUp },
      contentId: options.contentId,
      before: released,
      onChange: () => {},
      onRetry: () => {},
      onLost(error) {
        leases.stop();
        options.onError?.(error);
      },
      onWoken: idle.begin,
    });
  }

  function watchLeaving(): () => void {
    if (video) idle.watch(video);
    return watchPage({
      onHide: () => leases.releaseNow(),
      onReturn: () => leases.isResting || void leases.wake().catch(() => {}),
    });
  }

  /** A filter sees no answers: whether the server demands a lease for another content, a request of its own tells. */
  async function probe(uri: string, contentId: string): Promise<void> {
    try {
      await server.send({ url: uri, reason: 'key' });
    } catch (error) {
      if (toPlayerError(error).code === 'LEASE_REQUIRED') leases.require(uri, contentId);
    }
  }

  async function keeperFor(uri: string, contentId: string): Promise<LeaseKeeper | undefined> {
    const keeper = leases.keeperFor(uri, contentId);
    if (keeper || options.leases === false) return keeper;
    const probing = probes.get(contentId) ?? probe(uri, contentId);
    probes.set(contentId, probing);
    await probing;
    return leases.keeperFor(uri, contentId);
  }

  async function filter(_type: number, request: ShakaRequest): Promise<void> {
    const [contentId, ...others] = request.uris.map((uri) => contentIdOf(uri, keyServerUrl));
    const [uri] = request.uris;
    // Shaka goes from one address to the next with the same headers: all of them have to be the key server's.
    if (uri === undefined || contentId === undefined || others.includes(undefined)) return;
    const { signal } = ending;
    if (options.leases !== false) unwatchPage ??= watchLeaving();
    const leaseId = await (await keeperFor(uri, contentId))?.leaseId();
    const startMs = clock.now();
    // Shaka repeats its requests, but not what a filter fails with.
    const token = await retry(() => server.token('key'), {
      ...{ ...patience, ...keyBackOff, signal },
      givesUp: () => givesUp(startMs),
    });
    if (token !== '') request.headers.Authorization = `Bearer ${token}`;
    if (leaseId !== undefined) request.headers['X-Lease-Id'] = leaseId;
  }

  async function release(): Promise<void> {
    unwatchPage?.();
    unwatchPage = undefined;
    idle.stop();
    ending.abort(new PlayerError('ABORTED', 'The lease was given back.'));
    ending = new AbortController();
    released = Promise.all([released, leases.end()]).then(() => {});
    leases = createLeases();
    probes = new Map();
    await released;
  }
  return Object.assign(filter, { release });
}
