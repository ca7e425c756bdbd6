import type Hls from 'hls.js';
import { type Clock, systemClock } from './clock.ts';
import { createDeviceId } from './device-id.ts';
import { createEmitter, type Emitter } from './emitter.ts';
import type { Engine } from './engine.ts';
import { createIdleWatch, type IdleWatch } from './idle-watch.ts';
import { createKeyServer } from './key-server.ts';
import type { Lease } from './lease.ts';
import { createMetrics, type MetricsRecorder, type PlayerMetrics } from './metrics.ts';
import { watchPage } from './page-lifecycle.ts';
import { holdPaused } from './pause-video.ts';
import { PlayerError } from './player-error.ts';
import type { AttachOptions } from './player-options.ts';
import { createSession, type Session } from './session.ts';

/** Plays encrypted HLS with keys from a Latchkey server. */
export interface Player {
  /**
   * Loads a playlist and takes a lease for its content; what was loaded before ends.
   *
   * @param content left out: the content of the first key, as for renditions that have content ids of their own
   * @returns resolved once the playlist is read and the lease is held. Start with `video.play()`
   * @throws PlayerError, which the `error` event tells, too; `ABORTED` where another `load` or `destroy` came between
   */
  load(url: string, content?: { contentId?: string }): Promise<void>;
  /** The eight figures since the last `load()`. */
  getMetrics(): PlayerMetrics;
  /** Ends playback and gives the lease back. Never fails; resolved when the server has answered. */
  destroy(): Promise<void>;
  on: Emitter['on'];
  readonly lease: Lease | null;
  /** null where the browser plays by itself. */
  readonly hls: Hls | null;
}

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
  /** Ends the content: nobody watches any more. */
  end(): void;
}

/** @param createEngine called at once, with the core that it plays for */
export function createPlayerWith(options: AttachOptions, createEngine: (core: PlayerCore) => Engine): Player {
  const { clock = systemClock, random = Math.random } = options;
  const emitter = createEmitter();
  const metrics = createMetrics(() => clock.now());
  const server = createKeyServer(options);
  const handedOut = new Set<string>();
  const deviceId = createDeviceId();
  let session: Session | undefined;
  let isReported = true;
  let isDestroyed = false;
  let letPlay = () => {};

  function report() {
    if (isReported || !options.reportMetrics) return;
    isReported = true;
    const contentId = session?.leases.contentId;
    const json = { ...metrics.read(), ...(contentId && { contentId }) };
    server.sendNow({ url: server.url('/api/v1/player-metrics'), reason: 'metrics', json });
  }

  async function endSession() {
    report();
    const ending = session?.end();
    session = undefined;
    letPlay();
    await ending;
  }

  const idle = createIdleWatch({
    clock,
    pausedSeconds: options.leases ? options.leases.releaseAfterPausedSeconds : undefined,
    onIdle: () => session?.leases.rest(),
    onWatched() {
      if (session?.leases.isResting) session.leases.wake().catch(() => {});
    },
  });
  const core: PlayerCore = {
    metrics,
    idle,
    clock,
    random,
    get session() {
      return session;
    },
    begin(contentId) {
      const before = endSession();
      metrics.begin();
      isReported = false;
      const stop = () => {
        engine.stop();
        if (engine.video) letPlay = holdPaused(engine.video);
      };
      const isStarving = () => !engine.video || engine.video.readyState < engine.video.HAVE_FUTURE_DATA;
      const ports = {
        options,
        server,
        metrics,
        emitter,
        handedOut,
        deviceId,
        clock,
        random,
        before,
        isStarving,
        onWoken: idle.begin,
        stop,
      };
      session = createSession(ports, contentId);
      idle.begin();
      return session;
    },
    end: () => void endSession(),
  };
  const engine = createEngine(core);
  const unwatchPage = watchPage({
    onHide() {
      report();
      session?.leases.releaseNow();
    },
    onReturn() {
      if (!session || session.leases.isResting) return;
      session.leases.wake().catch(() => {});
      idle.begin();
    },
  });

  return {
    async load(url, { contentId } = {}) {
      if (isDestroyed) throw new PlayerError('ABORTED', 'The player was destroyed.');
      const { failure, start } = core.begin(contentId);
      // Side by side: the first key waits for the lease, nothing else does.
      const ready = Promise.all([start(), engine.load(url)]);
      ready.catch(() => {});
      await Promise.race([ready, failure]);
    },
    getMetrics: () => metrics.read(),
    async destroy() {
      if (isDestroyed) return;
      isDestroyed = true;
      unwatchPage();
      idle.stop();
      const ended = endSession();
      engine.destroy();
      await ended;
      emitter.clear();
    },
    on: emitter.on,
    get lease() {
      return session?.leases.lease ?? null;
    },
    get hls() {
      return engine.hls;
    },
  };
}
