import type Hls from 'hls.js';
import { type Clock, systemClock } from './clock.ts';
import type { Emitter } from './emitter.ts';
import { createKeyServer, type KeyServer } from './key-server.ts';
import { createDeviceId } from './lease.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper, type LeaseKeeperPorts } from './lease-keeper.ts';
import { createMetrics, type MetricsRecorder } from './metrics.ts';
import { toPlayerError } from './player-error.ts';
import { type AttachOptions, patienceMsOf } from './player-options.ts';
import { createSession, type Session } from './session.ts';
import { createIdleWatch, type IdleWatch } from './viewer-watch.ts';

/** hls.js, or the browser's own HLS. */
export interface Engine {
  readonly hls: Hls | null;
  readonly video: HTMLVideoElement | null;
  /** @returns resolved once the playlist is read and playback may begin */
  load(url: string): Promise<void>;
  /** Plays the URL of a playback session. With it, leases are sessions. */
  readonly playUrl?: (url: string) => void;
  /** Requests nothing more. */
  stop(): void;
  /** The page is being left. */
  leave?(): void;
  destroy(): void | Promise<void>;
}

type SessionHandlers = Pick<LeaseKeeperPorts, 'onUrl' | 'onChange' | 'onLost'>;

/** The longest `deviceId` that the server accepts. */
const maxDeviceLength = 200;
/** A page that was reloaded has its own sessions. */
const forgetful = { get: () => undefined, set: () => {} };

/** The parts of the player that an engine needs. */
export interface PlayerCore {
  readonly metrics: MetricsRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly server: KeyServer;
  readonly emitter: Emitter;
  /** Holds a playback session for a receiver. @param suffix added to the device's name */
  keepSession(contentId: string, suffix: string, handlers: SessionHandlers): LeaseKeeper;
  /** Emits that there is no session for a receiver. */
  remoteFailed(error: unknown): void;
  /** Of the content that is played; undefined before the first. */
  readonly session: Session | undefined;
  readonly idle: IdleWatch;
  /** Begins a content, and resets the figures. */
  begin(contentId: string | undefined): Session;
  /** Ends the content. Never fails; resolved when its leases are released. */
  end(): Promise<void>;
  /** Sends the figures of the content once, if `reportMetrics` is set. */
  report(): void;
}

/** Plays one content after another, each with its own session. @param engine called once there is a content */
export function createPlayerCore(options: AttachOptions, emitter: Emitter, engine: () => Engine): PlayerCore {
  const { clock = systemClock, random = Math.random } = options;
  const metrics = createMetrics(() => clock.now());
  const server = createKeyServer(options);
  const handedOut = new Set<string>();
  const deviceId = createDeviceId();
  let session: Session | undefined;
  let ending: Promise<unknown> = Promise.resolve();
  let isReported = true;
  let letPlay = () => {};
  const idle = createIdleWatch(clock, options, () => session?.leases);

  function report() {
    if (isReported || !options.reportMetrics) return;
    isReported = true;
    const contentId = session?.leases.contentId;
    const json = { ...metrics.read(), ...(contentId && { contentId }) };
    server.sendNow({ url: server.url('/api/v1/player-metrics'), reason: 'metrics', json });
  }

  async function end() {
    report();
    ending = Promise.all([ending, session?.end()]);
    session = undefined;
    letPlay();
    await ending;
  }

  function stop() {
    const { video } = engine();
    engine().stop();
    if (video) letPlay = holdPaused(video);
  }

  function isStarving() {
    const { video } = engine();
    // A video that has failed keeps the state of what it had.
    return !video || video.error !== null || video.readyState < video.HAVE_FUTURE_DATA;
  }

  const patienceMs = patienceMsOf(options);
  const common = { options, patienceMs, server, metrics, emitter, handedOut, deviceId, clock, random };
  return {
    ...{ metrics, idle, clock, random, server, emitter, end, report },
    keepSession(contentId, suffix, handlers) {
      const { deviceId: named = deviceId, ttlSeconds } = options.leases || {};
      const device = named.slice(0, maxDeviceLength - suffix.length) + suffix;
      return createLeaseKeeper({
        ...{ clock, random, maxRetryAfterMs: patienceMs, releases: server.releases, ...handlers },
        calls: createLeaseCalls(server, forgetful, 'sessions'),
        wish: { contentId, deviceId: device, ttlSeconds },
        givesUp: (sinceMs) => clock.now() - sinceMs >= patienceMs,
        onRetry() {},
      });
    },
    remoteFailed: (error) => emitter.emit('remote', { state: 'failed', error: toPlayerError(error) }),
    get session() {
      return session;
    },
    begin(contentId) {
      end();
      metrics.begin();
      isReported = false;
      const { playUrl: onUrl } = engine();
      session = createSession({ ...common, isStarving, stop, onUrl, onWoken: idle.begin }, contentId);
      idle.begin();
      return session;
    },
  };
}

/**
 * Pauses a video and keeps it paused, since its buffer could be played. The picture stays.
 *
 * @returns allows it to be played again
 */
function holdPaused(video: HTMLVideoElement): () => void {
  const pause = () => video.pause();
  pause();
  video.addEventListener('play', pause);
  return () => video.removeEventListener('play', pause);
}
