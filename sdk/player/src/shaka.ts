import { systemClock } from './clock.ts';
import { createDeviceId } from './device-id.ts';
import { createKeyServer } from './key-server.ts';
import { contentIdOf } from './key-url.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';
import { watchPage } from './page-lifecycle.ts';
import type { PlayerError } from './player-error.ts';
import type { KeyServerOptions } from './player-options.ts';
import { tabStorage } from './released-lease.ts';

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
  /** Gives the lease back. To be called beside `player.destroy()`. Never fails. */
  release(): Promise<void>;
}

export interface ShakaOptions extends KeyServerOptions {
  /** The lease is lost, such as by a revocation: say so, and unload. */
  readonly onError?: (error: PlayerError) => void;
}

const defaultPatienceMs = 60_000;

/**
 * Makes a request filter for Shaka Player 5: a fresh token and a lease on the requests for keys of the key server, nothing on
 * any other. The lease is for the content of the first key, and is renewed until `release()`; a key of another content
 * takes a lease for that in its place.
 */
export function shakaRequestFilter(options: ShakaOptions): ShakaRequestFilter {
  const { keyServerUrl, keyServerAuth, clock = systemClock, random = Math.random, patienceSeconds } = options;
  const calls = createLeaseCalls(createKeyServer(options), tabStorage());
  const ownDeviceId = createDeviceId();
  const patienceMs = patienceSeconds === undefined ? defaultPatienceMs : patienceSeconds * 1_000;
  let leases: LeaseKeeper | undefined;
  let playing: string | undefined;

  function keeperFor(contentId: string): LeaseKeeper | undefined {
    if (options.leases === false || contentId === playing) return leases;
    void leases?.release();
    playing = contentId;
    const { ttlSeconds, deviceId = ownDeviceId } = options.leases ?? {};
    leases = createLeaseKeeper({
      calls,
      wish: { contentId, deviceId, ttlSeconds },
      clock,
      random,
      givesUp: (sinceMs) => clock.now() - sinceMs >= patienceMs,
      onChange: () => {},
      onRetry: () => {},
      onLost: (error) => options.onError?.(error),
    });
    leases.take().catch(() => {});
    return leases;
  }

  const unwatchPage = watchPage({
    onHide: () => leases?.releaseNow(),
    onReturn: () => void leases?.take().catch(() => {}),
  });

  async function filter(_type: number, request: ShakaRequest): Promise<void> {
    const [contentId, ...others] = request.uris.map((uri) => contentIdOf(uri, keyServerUrl));
    // Shaka goes from one address to the next with the same headers: all of them have to be the key server's.
    if (contentId === undefined || others.includes(undefined)) return;
    const leaseId = await keeperFor(contentId)?.leaseId();
    const token = await keyServerAuth({ reason: 'key' });
    if (token !== '') request.headers.Authorization = `Bearer ${token}`;
    if (leaseId !== undefined) request.headers['X-Lease-Id'] = leaseId;
  }

  async function release(): Promise<void> {
    unwatchPage();
    await leases?.release();
  }
  return Object.assign(filter, { release });
}
