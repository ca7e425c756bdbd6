import type Hls from 'hls.js';
import { createEmitter, type Emitter } from './emitter.ts';
import { createHlsEngine, hasAirPlay } from './hls-engine.ts';
import { createLateEngine, hasMediaSource } from './late-engine.ts';
import type { Lease } from './lease.ts';
import type { PlayerMetrics } from './metrics.ts';
import { createNativeEngine, playsNatively } from './native-engine.ts';
import { createPlayerCore, type Engine, type PlayerCore } from './player-core.ts';
import { PlayerError, toPlayerError } from './player-error.ts';
import { type AttachOptions, type PlayerOptions, requireVideo } from './player-options.ts';
import { playlistType } from './playlist-type.ts';
import type { RemoteSession, RemoteSource } from './remote-session.ts';
import { watchPage } from './viewer-watch.ts';

/**
 * Makes a player of a `<video>`.
 *
 * @throws PlayerError `UNSUPPORTED` if neither hls.js nor the browser can play HLS; TypeError for an option that cannot be used
 */
export function createPlayer(options: PlayerOptions): Player {
  const { video, native = 'auto', Hls } = options;
  requireVideo(video);
  // Only a managed media source is in a `<source>`, next to which another `<source>` can be.
  const forAirPlay = options.airPlay && hasAirPlay() ? { preferManagedMediaSource: true } : {};
  const createWith = (Build: NonNullable<typeof Hls>, core: PlayerCore) =>
    createHlsEngine(new Build({ ...forAirPlay, ...options.hlsConfig }), options, core, video);
  if (native !== 'always' && (Hls ? Hls.isSupported() : hasMediaSource()))
    return createPlayerWith(options, (core) =>
      Hls ? createWith(Hls, core) : createLateEngine(core, video, createWith),
    );
  // There is no playing without a session, so `leases: false` does not hold.
  if (native !== 'never' && playsNatively(video))
    return createPlayerWith({ ...options, leases: options.leases || {} }, (core) =>
      createNativeEngine(video, core),
    );
  throw new PlayerError(
    'UNSUPPORTED',
    'This browser plays HLS neither with Media Source Extensions nor by itself.',
  );
}

/**
 * Adds tokens, leases and figures to an application's instance of hls.js. Attach before `hls.loadSource`. Then load with
 * the player's `load()`, or with `hls.loadSource` as before. `hls.destroy()` releases the lease too.
 *
 * @throws TypeError for an option that cannot be used
 */
export function attach(hls: Hls, options: AttachOptions): Player {
  return createPlayerWith(options, (core) => createHlsEngine(hls, options, core));
}

/** Plays encrypted HLS with keys from a Latchkey server. */
export interface Player {
  /**
   * Loads a playlist and takes a lease for its content. The previous content ends. On demand, the playlist of a playback that an error
   * has ended goes on where that was.
   *
   * @param content default: the content of the first key, as for renditions that have their own content ids
   * @returns resolved once the playlist is read and the lease is held. Start with `video.play()`
   * @throws PlayerError, also as an `error` event; `ABORTED` if another `load` or `destroy` replaced it
   */
  load(url: string, content?: { contentId?: string }): Promise<void>;
  /**
   * The URL of a playback session of the content that is loaded, for Cast's default receiver and anything else that sends no token. It is a
   * lease of its own, in addition to the lease of this page. A repeated call returns the same URL while the session lives. The page renews it.
   *
   * @param options `keep`: the session is not released with the player, and ends by itself when the receiver uses it no more
   * @throws PlayerError `SESSION_UNAVAILABLE`, `LEASE_LIMIT_REACHED`, and others of the key server; `ABORTED` if nothing is loaded
   */
  remoteSource(options?: { keep?: boolean }): Promise<RemoteSource>;
  /** Releases the session of `remoteSource()`, unless it is kept: the receiver has ended. Never fails. */
  releaseRemote(): Promise<void>;
  /** The eight figures since the last `load()`. */
  getMetrics(): PlayerMetrics;
  /** Ends playback and releases the lease. Never fails; resolved when the server has answered. */
  destroy(): Promise<void>;
  on: Emitter['on'];
  readonly lease: Lease | null;
  /** null with the browser's own HLS, and without the option `Hls` until `load()` has loaded it. */
  readonly hls: Hls | null;
}

/** @param createEngine called at once */
function createPlayerWith(options: AttachOptions, createEngine: (core: PlayerCore) => Engine): Player {
  const emitter = createEmitter();
  let isDestroyed = false;
  const core = createPlayerCore(options, emitter, () => engine);
  const engine = createEngine(core);
  let remote: RemoteSession | undefined;
  const unwatchPage = watchPage({
    onHide() {
      core.report();
      core.session?.leases.releaseNow();
      remote?.releaseNow();
      engine.leave?.();
    },
    onReturn() {
      const { session, idle } = core;
      if (!session || session.leases.isResting) return;
      session.leases.wake();
      idle.begin();
    },
  });

  return {
    async load(url, { contentId } = {}) {
      if (isDestroyed) throw new PlayerError('ABORTED', 'The player was destroyed.');
      const { failure, start } = core.begin(contentId);
      // At the same time: only the first key waits for the lease.
      const ready = Promise.all([start(), engine.load(url)]);
      ready.catch(() => {});
      await Promise.race([ready, failure]);
    },
    async remoteSource({ keep } = {}) {
      const { createRemoteSession } = await import('./remote.ts').catch((error: unknown) => {
        throw toPlayerError(error);
      });
      const contentId = core.session?.leases.contentId;
      if (contentId === undefined) throw new PlayerError('ABORTED', 'Nothing is loaded.');
      remote ??= createRemoteSession(core, '-remote', core.remoteFailed);
      return { url: await remote.url(contentId, keep), contentType: playlistType };
    },
    async releaseRemote() {
      await remote?.release();
    },
    getMetrics: () => core.metrics.read(),
    async destroy() {
      if (isDestroyed) return;
      isDestroyed = true;
      unwatchPage();
      core.idle.stop();
      await Promise.all([core.end(), engine.destroy(), remote?.release()]);
      emitter.clear();
    },
    on: emitter.on,
    get lease() {
      return core.session?.leases.lease ?? null;
    },
    get hls() {
      return engine.hls;
    },
  };
}
