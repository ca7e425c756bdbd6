import type Hls from 'hls.js';
import type { ErrorData, Fragment } from 'hls.js';
import { sleep } from './clock.ts';
import type { Engine } from './engine.ts';
import { withKeysFrom } from './key-loader.ts';
import { contentIdOf } from './key-url.ts';
import { findNextKey, type KeyedFragment } from './next-key.ts';
import type { PlayerCore } from './player-core.ts';
import { keyElsewhere, PlayerError } from './player-error.ts';
import type { AttachOptions } from './player-options.ts';
import { watchHls } from './watch-hls.ts';
import { type VideoWatch, watchVideo } from './watch-video.ts';

/** The viewers of a live stream come to a new key together: each waits up to a quarter of its buffer, and 3 s at most. */
const spreadShare = 0.25;
const maxSpreadMs = 3_000;

/**
 * Plays with an instance of hls.js, whose other settings stay as they are.
 *
 * @param video of a player that made the instance, and ends it. Else media and end are the application's
 */
export function createHlsEngine(
  hls: Hls,
  options: AttachOptions,
  core: PlayerCore,
  video?: HTMLVideoElement,
): Engine {
  const { Events } = hls.constructor as typeof Hls;
  const { loader } = hls.config;
  const isKey = (url: string) => contentIdOf(url, options.keyServerUrl) !== undefined;
  const life = new AbortController();
  let videoWatch: VideoWatch | undefined;
  let isLoading = false;
  let hasRecovered = false;

  hls.config.loader = withKeysFrom(loader, {
    isKey,
    async getKey({ url, startSeconds, use }, signal) {
      const { session } = core;
      if (!session) throw new PlayerError('ABORTED', 'Nothing is loaded.');
      const aheadMs = hls.media ? (startSeconds - hls.media.currentTime) * 1_000 : 0;
      const spreadMs = hls.latestLevelDetails?.live ? Math.min(aheadMs * spreadShare, maxSpreadMs) : 0;
      if (spreadMs > 0) await sleep(core.clock, spreadMs * core.random(), signal);
      return session.keys.get(url, signal, use);
    },
    onForeignFailure: (url, status) => core.session?.fail(keyElsewhere(url, status, options.keyServerUrl)),
  });

  /** At some moment of the first half of the time that a segment lasts, so that players in step do not ask in step. */
  async function fetchNextKey({ type, level, sn, duration }: Fragment) {
    const keys = core.session?.keys;
    if ((type as string) !== 'main' || !keys || core.session?.leases.isResting) return;
    const url = findNextKey(hls.levels[level]?.details?.fragments ?? [], sn);
    if (url === undefined || !isKey(url) || keys.has(url)) return;
    await sleep(core.clock, duration * 500 * core.random(), life.signal);
    if (keys === core.session?.keys) keys.fetchAhead(url);
  }

  function fail({ type, details, error, response }: ErrorData) {
    const isNetwork = (type as string) === 'networkError';
    const status = response?.code ? { status: response.code } : {};
    const message = `hls.js: ${details}${error ? ` (${error.message})` : ''}`;
    const code = isNetwork ? 'MEDIA_NETWORK' : 'MEDIA_DECODE';
    core.session?.fail(new PlayerError(code, message, { ...status, cause: error }));
  }

  const listeners = {
    [Events.MANIFEST_LOADING]() {
      hasRecovered = false;
      if (isLoading) return;
      // The application called hls.loadSource itself.
      core
        .begin(options.contentId)
        .start()
        .catch(() => {});
      videoWatch?.begin();
    },
    [Events.MEDIA_ATTACHING](_: unknown, { media }: { media: HTMLMediaElement }) {
      videoWatch?.stop();
      videoWatch = watchVideo(media as HTMLVideoElement, core.metrics);
      videoWatch.begin();
      core.idle.watch(media as HTMLVideoElement);
    },
    [Events.MANIFEST_PARSED]() {
      // No playlist will name a key before the application starts the loading.
      if (!hls.config.autoStartLoad) core.session?.leases.named([]);
    },
    [Events.LEVEL_LOADED](_: unknown, { details }: { details: { fragments: readonly KeyedFragment[] } }) {
      const uris = details.fragments.flatMap(({ decryptdata }) => decryptdata?.uri ?? []);
      core.session?.leases.named([...new Set(uris)]);
    },
    [Events.FRAG_LOADED](_: unknown, { frag }: { frag: Fragment }) {
      fetchNextKey(frag).catch(() => {});
    },
    [Events.ERROR](_: unknown, data: ErrorData) {
      if (!data.fatal) return;
      const isMedia = (data.type as string) === 'mediaError';
      if (!video || !isMedia || hasRecovered) return fail(data);
      hasRecovered = true;
      hls.recoverMediaError();
    },
    [Events.DESTROYING]() {
      detach();
      core.end();
    },
  };
  const unwatchHls = watchHls(hls, core.metrics);
  const events = Object.entries(listeners) as [never, never][];
  for (const [event, listener] of events) hls.on(event, listener);
  if (hls.media) listeners[Events.MEDIA_ATTACHING](undefined, { media: hls.media });

  function detach() {
    life.abort();
    unwatchHls();
    videoWatch?.stop();
    for (const [event, listener] of events) hls.off(event, listener);
  }

  return {
    hls,
    get video() {
      return hls.media as HTMLVideoElement | null;
    },
    load(url) {
      return new Promise((resolve) => {
        hls.once(Events.MANIFEST_PARSED, () => resolve());
        isLoading = true;
        hls.loadSource(url);
        isLoading = false;
        if (video && hls.media !== video) hls.attachMedia(video);
        else videoWatch?.begin();
      });
    },
    stop() {
      if (!life.signal.aborted) hls.stopLoad();
    },
    destroy() {
      if (life.signal.aborted) return;
      detach();
      if (video) hls.destroy();
      else hls.config.loader = loader;
    },
  };
}
