import { type Clock, systemClock } from './clock.ts';
import { createDeviceId } from './device-id.ts';
import type { Emitter } from './emitter.ts';
import type { Engine } from './engine.ts';
import { createIdleWatch, type IdleWatch } from './idle-watch.ts';
import { createKeyServer } from './key-server.ts';
import { createMetrics, type MetricsRecorder } from './metrics.ts';
import { patienceMsOf } from './patience.ts';
import { holdPaused } from './pause-video.ts';
import type { AttachOptions } from './player-options.ts';
import { createSession, type Session } from './session.ts';

/** What an engine needs of the player. */
export interface PlayerCore {
  readonly metrics: MetricsRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  /** The content that is played; undefined before the first. */
  readonly session: Session | undefined;
  readonly idle: IdleWatch;
  /** Begins a content, with the figures from zero. */
  begin(contentId: string | undefined): Session;
  /** Ends the content: nobody watches any more. Never fails; resolved when its leases are given back. */
  end(): Promise<void>;
  /** Sends the figures of the content, once, where the application asks for that. */
  report(): void;
}

/** One content after the other, each with a session of its own. @param engine what plays, once there is a content */
export function createPlayerCore(options: AttachOptions, emitter: Emitter, engine: () => Engine): PlayerCore {
  const { clock = systemClock, random = Math.random } = options;
  const metrics = createMetrics(() => clock.now());
  const server = createKeyServer(options);
  const handedOut = new Set<string>();
  const deviceId = createDeviceId();
  let session: Session | undefined;
  let isReported = true;
  let letPlay = () => {};
  const idle = createIdleWatch({
    clock,
    pausedSeconds: options.leases ? options.leases.releaseAfterPausedSeconds : undefined,
    onIdle: () => session?.leases.rest(),
    onWatched() {
      if (session?.leases.isResting) session.leases.wake().catch(() => {});
    },
  });

  function report() {
    if (isReported || !options.reportMetrics) return;
    isReported = true;
    const contentId = session?.leases.contentId;
    const json = { ...metrics.read(), ...(contentId && { contentId }) };
    server.sendNow({ url: server.url('/api/v1/player-metrics'), reason: 'metrics', json });
  }

  async function end() {
    report();
    const ending = session?.end();
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
    return !video || video.readyState < video.HAVE_FUTURE_DATA;
  }

  const patienceMs = patienceMsOf(options);
  const common = { options, patienceMs, server, metrics, emitter, handedOut, deviceId, clock, random };
  return {
    ...{ metrics, idle, clock, random, end, report },
    get session() {
      return session;
    },
    begin(contentId) {
      const before = end();
      metrics.begin();
      isReported = false;
      session = createSession({ ...common, before, isStarving, stop, onWoken: idle.begin }, contentId);
      idle.begin();
      return session;
    },
  };
}
