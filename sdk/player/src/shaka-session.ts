import { systemClock } from './clock.ts';
import { createDeviceId } from './device-id.ts';
import { createIdleWatch } from './idle-watch.ts';
import { createKeyServer, type KeyServer } from './key-server.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { watchPage } from './page-lifecycle.ts';
import { patienceMsOf } from './patience.ts';
import { PlayerError } from './player-error.ts';
import type { KeyServerOptions } from './player-options.ts';
import { keyBackOff, retry } from './retry.ts';
import { createSessionLeases, type SessionLeases } from './session-leases.ts';

export interface ShakaOptions extends KeyServerOptions {
  /** The content that the lease is for. Default: that of the first key. */
  readonly contentId?: string;
  /** With it the lease is given back while the video is over or paused for long, as `releaseAfterPausedSeconds` says. */
  readonly video?: HTMLVideoElement;
  /** The lease is lost, such as by a revocation: say so, and unload. */
  readonly onError?: (error: PlayerError) => void;
}

/** What a request filter puts on a key request. */
interface KeyCredentials {
  /** Empty where the application gives none. */
  readonly token: string;
  /** undefined where the key is requested without a lease. */
  readonly leaseId: string | undefined;
}

/** The leases and tokens of one Shaka Player: one playback after the other. */
export interface ShakaSession {
  /** @throws PlayerError where no lease or no token can be had in time */
  credentialsFor(keyUrl: string, contentId: string): Promise<KeyCredentials>;
  /** Gives the leases back; the next key begins anew. Never fails. */
  release(): Promise<void>;
}

export function createShakaSession(options: ShakaOptions): ShakaSession {
  const { clock = systemClock, random = Math.random, video } = options;
  const server = createKeyServer(options);
  const deviceId = createDeviceId();
  const patienceMs = patienceMsOf(options);
  const givesUp = (sinceMs: number) => clock.now() - sinceMs >= patienceMs;
  const patience = { clock, random, maxRetryAfterMs: patienceMs };
  const idle = createIdleWatch({
    clock,
    pausedSeconds: options.leases ? options.leases.releaseAfterPausedSeconds : undefined,
    onIdle: () => playback.leases.rest(),
    onWatched: () => playback.leases.isResting && void playback.leases.wake().catch(() => {}),
  });
  let playback = begin(Promise.resolve());
  let unwatchPage: (() => void) | undefined;

  /** @param before the giving back of the leases before */
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
      onReturn: () => playback.leases.isResting || void playback.leases.wake().catch(() => {}),
    });
  }

  return {
    async credentialsFor(keyUrl, contentId) {
      const { ending, keeperFor } = playback;
      if (options.leases !== false) unwatchPage ??= watchLeaving();
      const leaseId = await (await keeperFor(keyUrl, contentId))?.leaseId();
      const startMs = clock.now();
      // Shaka repeats its requests, but not what a filter fails with.
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

/** @returns what finds the keeper for a key; undefined where it is requested without a lease */
function createKeeperSearch(
  leases: SessionLeases,
  send: KeyServer['send'],
  options: ShakaOptions,
): (keyUrl: string, contentId: string) => Promise<LeaseKeeper | undefined> {
  /** By content: whether a lease is demanded was asked for. */
  const probes = new Map<string, Promise<unknown>>();

  return async (keyUrl, contentId) => {
    const keeper = leases.keeperFor(keyUrl, contentId);
    if (keeper || options.leases === false) return keeper;
    // A filter sees no answers: a request of its own tells whether the server demands a lease for another content.
    const probe = () => leases.withoutLease(() => send({ url: keyUrl, reason: 'key' })).catch(() => {});
    const probing = probes.get(contentId) ?? probe();
    probes.set(contentId, probing);
    await probing;
    return leases.keeperFor(keyUrl, contentId);
  };
}
