import type Hls from 'hls.js';
import type { Engine, PlayerCore } from './player-core.ts';
import { toPlayerError } from './player-error.ts';

/**
 * Plays with hls.js, which is loaded as a module of its own: an application that brings another build, or plays natively, does not load it.
 *
 * @param create makes the engine with hls.js
 */
export function createLateEngine(
  core: PlayerCore,
  video: HTMLVideoElement,
  create: (build: typeof Hls, core: PlayerCore) => Engine,
): Engine {
  let engine: Engine | undefined;
  let isDestroyed = false;
  const loadHls = async () => (await import('hls.js')).default;
  // Starts now, so that `load()` finds hls.js. A failure is ignored here: `load()` tries again and reports it.
  loadHls().catch(() => {});
  return {
    get hls() {
      return engine?.hls ?? null;
    },
    video,
    async load(url) {
      const { session } = core;
      try {
        const build = await loadHls();
        if (isDestroyed || session !== core.session) return;
        engine ??= create(build, core);
      } catch (error) {
        session?.fail(toPlayerError(error));
        throw error;
      }
      await engine.load(url);
    },
    stop: () => engine?.stop(),
    leave: () => engine?.leave?.(),
    async destroy() {
      isDestroyed = true;
      await engine?.destroy();
    },
  };
}

/** The part of a media source that shows what it plays. */
interface MediaSourceKind {
  isTypeSupported?(type: string): boolean;
}
const videoCodecs = ['avc1.42E01E,mp4a.40.2', 'av01.0.01M.08', 'vp09.00.50.08'];

/** Whether hls.js can play a video here, known without it (`Hls.isSupported()`). */
export function hasMediaSource(): boolean {
  const { ManagedMediaSource, MediaSource = ManagedMediaSource } = globalThis as {
    readonly [name in 'ManagedMediaSource' | 'MediaSource']?: MediaSourceKind;
  };
  return videoCodecs.some((codecs) => MediaSource?.isTypeSupported?.(`video/mp4;codecs=${codecs}`));
}
