import type Hls from 'hls.js';
import DefaultHls from 'hls.js';
import { createEmitter, type Emitter } from './emitter.ts';
import { createHlsEngine } from './hls-engine.ts';
import type { Lease } from './lease.ts';
import type { PlayerMetrics } from './metrics.ts';
import { createNativeEngine, playsNatively } from './native-engine.ts';
import { createPlayerCore, type Engine, type PlayerCore } from './player-core.ts';
import { PlayerError } from './player-error.ts';
import type { AttachOptions, PlayerOptions } from './player-options.ts';
import { watchPage } from './viewer-watch.ts';

/**
 * Makes a player of a `<video>`.
 *
 * @throws PlayerError `UNSUPPORTED` if neither hls.js nor the browser can play HLS; TypeError for a `keyServerUrl` that is not a URL
 */
export function createPlayer(options: PlayerOptions): Player {
  const { video, native = 'auto', Hls = DefaultHls } = options;
  new URL(options.keyServerUrl);
  if (native !== 'always' && Hls.isSupported())
    return createPlayerWith(options, (core) =>
      createHlsEngine(new Hls(options.hlsConfig), options, core, video),
    );
  if (native !== 'never' && playsNatively(video))
    return createPlayerWith(options, (core) => createNativeEngine(video, options, core));
  throw new PlayerError(
    'UNSUPPORTED',
    'This browser plays HLS neither with Media Source Extensions nor by itself.',
  );
}

/**
 * Adds tokens, leases and figures to an application's instance of hls.js. Attach before `hls.loadSource`. Then load with
 * the player's `load()`, or with `hls.loadSource` as before. `hls.destroy()` releases the lease too.
 *
 * @throws TypeError for a `keyServerUrl` that is not a URL
 */
export function attach(hls: Hls, options: AttachOptions): Player {
  new URL(options.keyServerUrl);
  return createPlayerWith(options, (core) => createHlsEngine(hls, options, core));
}

/** Plays encrypted HLS with keys from a Latchkey server. */
export interface Player {
  /**
   * Loads a playlist and takes a lease for its content. The previous content ends.
   *
   * @param content default: the content of the first key, as for renditions that have their own content ids
   * @returns resolved once the playlist is read and the lease is held. Start with `video.play()`
   * @throws PlayerError, also as an `error` event; `ABORTED` if another `load` or `destroy` replaced it
   */
  load(url: string, content?: { contentId?: string }): Promise<void>;
  /** The eight figures since the last `load()`. */
  getMetrics(): PlayerMetrics;
  /** Ends playback and releases the lease. Never fails; resolved when the server has answered. */
  destroy(): Promise<void>;
  on: Emitter['on'];
  readonly lease: Lease | null;
  /** null with the browser's own HLS. */
  readonly hls: Hls | null;
}

/** @param createEngine called at once */
function createPlayerWith(options: AttachOptions, createEngine: (core: PlayerCore) => Engine): Player {
  const emitter = createEmitter();
  let isDestroyed = false;
  const core = createPlayerCore(options, emitter, () => engine);
  const engine = createEngine(core);
  const unwatchPage = watchPage({
    onHide() {
      core.report();
      core.session?.leases.releaseNow();
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
    getMetrics: () => core.metrics.read(),
    async destroy() {
      if (isDestroyed) return;
      isDestroyed = true;
      unwatchPage();
      core.idle.stop();
      const ended = core.end();
      engine.destroy();
      await ended;
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
