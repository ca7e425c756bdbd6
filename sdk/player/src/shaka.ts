import { systemClock } from './clock.ts';
import { createDeviceId } from './device-id.ts';
import { createKeyServer } from './key-server.ts';
import { contentIdOf } from './key-url.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';
import { watchPage } from './page-lifecycle.ts';
import { PlayerError } from './player-error.ts';
import type { KeyServerOptions } from './player-options.ts';
import { tabStorage } from './released-lease.ts';
import { keyBackOff, retry } from './retry.ts';

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
  /** The lease is lost, such as by a revocation: say so, and unload. */
  readonly onError?: (error: PlayerError) => void;
}

const defaultPatienceMs = 60_000;

/**
 * Makes a request filter for Shaka Player 5: a fresh token and a lease on the requests for keys of the key server, nothing on
 * any other. One playback is one lease, as the server counts them: it is for `contentId`, or the content of the first key,
 * and is renewed until `release()`. A key of another content, such as an advertisement's, gets the token alone.
 *
 * @throws TypeError for a `keyServerUrl` that is none
 */
export function shakaRequestFilter(options: ShakaOptions): ShakaRequestFilter {
  const { keyServerUrl, clock = systemClock, random = Math.random, patienceSeconds } = options;
  new URL(keyServerUrl);
  const server = createKeyServer(options);
  const calls = createLeaseCalls(server, tabStorage());
  const ownDeviceId = createDeviceId();
  const patienceMs = patienceSeconds === undefined ? defaultPatienceMs : patienceSeconds * 1_000;
  const givesUp = (sinceMs: number) => clock.now() - sinceMs >= patienceMs;
  let ending = new AbortController();
  let playing: string | undefined;
  let leases: LeaseKeeper | undefined;
  let unwatchPage = () => {};
  /** The giving back of the lease before. */
  let released: Promise<void> | undefined;

  function leasesFor(contentId: string): LeaseKeeper | undefined {
    playing ??= options.contentId ?? contentId;
    if (contentId !== playing) return undefined;
    leases ??= keepLease(contentId);
    return leases;
  }

  function keepLease(contentId: string): LeaseKeeper | undefined {
    if (options.leases === false) return undefined;
    const { ttlSeconds, deviceId = ownDeviceId } = options.leases ?? {};
    const keeper = createLeaseKeeper({
      calls,
      wish: { contentId, deviceId, ttlSeconds },
      clock,
      random,
      before: released,
      givesUp,
      onChange: () => {},
      onRetry: () => {},
      onLost: (error) => options.onError?.(error),
    });
    const take = () => void keeper.take().catch(() => {});
    take();
    unwatchPage = watchPage({ onHide: keeper.releaseNow, onReturn: take });
    return keeper;
  }

  async function filter(_type: number, request: ShakaRequest): Promise<void> {
    const [contentId, ...others] = request.uris.map((uri) => contentIdOf(uri, keyServerUrl));
    // Shaka goes from one address to the next with the same headers: all of them have to be the key server's.
    if (contentId === undefined || others.includes(undefined)) return;
    const { signal } = ending;
    const leaseId = await leasesFor(contentId)?.leaseId();
    const startMs = clock.now();
    // Shaka repeats its requests, but not what a filter fails with.
    const token = await retry(() => server.token('key'), {
      ...{ clock, random, ...keyBackOff, signal },
      givesUp: () => givesUp(startMs),
    });
    if (token !== '') request.headers.Authorization = `Bearer ${token}`;
    if (leaseId !== undefined) request.headers['X-Lease-Id'] = leaseId;
  }

  async function release(): Promise<void> {
    unwatchPage();
    ending.abort(new PlayerError('ABORTED', 'The lease was given back.'));
    ending = new AbortController();
    released = leases?.release() ?? released;
    leases = playing = undefined;
    await released;
  }
  return Object.assign(filter, { release });
}
