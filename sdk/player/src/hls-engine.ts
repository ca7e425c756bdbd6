import type Hls from 'hls.js';
import type { ErrorData } from 'hls.js';
import type { AirPlay } from './airplay.ts';
import { sleep } from './clock.ts';
import { createKeyAhead } from './key-ahead.ts';
import { type KeyedFragment, type KeyLoaderPorts, withKeysFrom } from './key-loader.ts';
import { contentIdOf } from './key-url.ts';
import type { Engine, PlayerCore } from './player-core.ts';
import { keyElsewhere, PlayerError } from './player-error.ts';
import type { AttachOptions } from './player-options.ts';
import { listenTo, type VideoWatch, watchHls, watchVideo } from './watch-playback.ts';

/** The viewers of a live stream need a new key at the same time. Each waits up to a quarter of its buffer, at most 3 s. */
const spreadShare = 0.25;
const maxSpreadMs = 3_000;

/**
 * Plays with an instance of hls.js, whose other settings stay unchanged.
 *
 * @param video given by a player that made the instance and destroys it. Else the application attaches media and destroys it
 */
export function createHlsEngine(
  hls: Hls,
  options: AttachOptions,
  core: PlayerCore,
  video?: HTMLVideoElement,
): Engine {
  const { Events } = hls.constructor as typeof Hls;
  const { loader } = hls.config;
  const life = new AbortController();
  const videoWatch = createAttachedWatch(core);
  let isLoading = false;
  const recovery = createRecovery(hls, core, video !== undefined);
  const resumption = createResumption(hls);
  hls.config.loader = withKeysFrom(loader, createKeyPorts(hls, options, core));
  const ahead = createKeyAhead(hls, core, options.keyServerUrl);
  const airPlay = loadAirPlay(hls, options, core);
  const listeners = {
    ...createKeyListeners(hls, core),
    ...ahead.listeners,
    [Events.MANIFEST_LOADING]() {
      recovery.begin();
      ahead.begin();
      if (!isLoading) beginForApplication(core, options, videoWatch);
    },
    [Events.MEDIA_ATTACHING]: (_: unknown, { media }: { media: HTMLMediaElement }) =>
      videoWatch.attach(media),
    [Events.ERROR]: (_: unknown, data: ErrorData) => recovery.onError(data),
    [Events.DESTROYING]() {
      detach();
      core.end();
    },
  };
  const stops = [() => life.abort(), videoWatch.stop, watchHls(hls, core.metrics), listenTo(hls, listeners)];
  if (hls.media) videoWatch.attach(hls.media);

  function detach() {
    for (const stop of stops) stop();
    return airPlay.destroy();
  }

  return {
    hls,
    get video() {
      return hls.media as HTMLVideoElement | null;
    },
    load(url) {
      const parsed = new Promise<void>((resolve) => hls.once(Events.MANIFEST_PARSED, () => resolve()));
      resumption.begin(url);
      isLoading = true;
      hls.loadSource(url);
      isLoading = false;
      if (video && hls.media !== video) hls.attachMedia(video);
      else videoWatch.begin();
      return parsed;
    },
    stop() {
      resumption.failed();
      if (!life.signal.aborted) hls.stopLoad();
    },
    leave: airPlay.releaseNow,
    async destroy() {
      if (life.signal.aborted) return;
      const released = detach();
      if (video) hls.destroy();
      else hls.config.loader = loader;
      await released;
    },
  };
}

/** Whether this browser is Safari, on any device. */
export function hasAirPlay(): boolean {
  return 'WebKitPlaybackTargetAvailabilityEvent' in globalThis;
}

/** Does nothing elsewhere than in Safari. */
function loadAirPlay(hls: Hls, options: AttachOptions, core: PlayerCore): AirPlay {
  let airPlay: AirPlay | undefined;
  let isOver = false;
  if (options.airPlay && hasAirPlay()) {
    import('./remote.ts').then(({ createAirPlay }) => {
      if (!isOver) airPlay = createAirPlay(hls, core);
    }, core.remoteFailed);
  }
  return {
    releaseNow: () => airPlay?.releaseNow(),
    async destroy() {
      isOver = true;
      await airPlay?.destroy();
    },
  };
}

/** The application has called `hls.loadSource` itself. */
function beginForApplication(core: PlayerCore, { contentId }: AttachOptions, videoWatch: { begin(): void }) {
  const session = core.begin(contentId);
  session.start().catch(() => {});
  videoWatch.begin();
}

/** The measurements of the video that hls.js is attached to. */
function createAttachedWatch({ metrics, idle }: PlayerCore) {
  let watch: VideoWatch | undefined;
  return {
    attach(media: HTMLMediaElement) {
      watch?.stop();
      watch = watchVideo(media as HTMLVideoElement, metrics);
      watch.begin();
      idle.watch(media as HTMLVideoElement);
    },
    begin: () => watch?.begin(),
    stop: () => watch?.stop(),
  };
}

/** Gives hls.js the key server's keys. */
function createKeyPorts(hls: Hls, { keyServerUrl }: AttachOptions, core: PlayerCore): KeyLoaderPorts {
  return {
    isKey: (url) => contentIdOf(url, keyServerUrl) !== undefined,
    onForeignFailure: (url, status) => core.session?.fail(keyElsewhere(url, status, keyServerUrl)),
    async getKey({ url, startSeconds, use }, signal) {
      const { session } = core;
      if (!session) throw new PlayerError('ABORTED', 'Nothing is loaded.');
      // A key that was fetched ahead needs no spread.
      if (session.keys.has(url)) return session.keys.get(url, signal, use);
      const aheadMs = hls.media ? (startSeconds - hls.media.currentTime) * 1_000 : 0;
      const spreadMs = hls.latestLevelDetails?.live ? Math.min(aheadMs * spreadShare, maxSpreadMs) : 0;
      if (spreadMs > 0) await sleep(core.clock, spreadMs * core.random(), signal);
      return session.keys.get(url, signal, use);
    },
  };
}

/** Finds the contents that playlists name by their keys. */
function createKeyListeners(hls: Hls, core: PlayerCore) {
  const { Events } = hls.constructor as typeof Hls;
  return {
    [Events.MANIFEST_PARSED]() {
      // No playlist names a key before the application starts loading.
      if (!hls.config.autoStartLoad) core.session?.leases.named([]);
    },
    [Events.LEVEL_LOADED](_: unknown, { details }: { details: { fragments: readonly KeyedFragment[] } }) {
      const uris = details.fragments.flatMap(({ decryptdata }) => decryptdata?.uri ?? []);
      core.session?.leases.named([...new Set(uris)]);
    },
  };
}

/** Lets hls.js recover from one media error after each load. Any other fatal error ends the session. */
function createRecovery(hls: Hls, core: PlayerCore, mayRecover: boolean) {
  let hasRecovered = false;
  return {
    begin() {
      hasRecovered = false;
    },
    onError(data: ErrorData) {
      if (!data.fatal) return;
      const isMedia = (data.type as string) === 'mediaError';
      if (!mayRecover || !isMedia || hasRecovered) return core.session?.fail(toFailure(data));
      hasRecovered = true;
      hls.recoverMediaError();
    },
  };
}

/** Lets the playlist of a playback that an error has ended go on where that was. A live one goes on at its end. */
function createResumption(hls: Hls) {
  const { config } = hls;
  let path = '';
  let hasFailed = false;
  /** The application's `startPosition`, while another one replaces it. */
  let replaced: number | undefined;
  return {
    begin(url: string) {
      if (replaced !== undefined) config.startPosition = replaced;
      replaced = undefined;
      const before = hasFailed ? path : undefined;
      path = withoutQuery(url);
      hasFailed = false;
      const currentTime = hls.media?.currentTime ?? 0;
      if (path !== before || currentTime === 0 || hls.latestLevelDetails?.live) return;
      replaced = config.startPosition;
      config.startPosition = currentTime;
    },
    failed() {
      hasFailed = true;
    },
  };
}

/** A URL that was signed anew names the same playlist. */
const withoutQuery = (url: string) => url.split('?', 1)[0] ?? '';

function toFailure({ type, details, error, response }: ErrorData): PlayerError {
  const isNetwork = (type as string) === 'networkError';
  const status = response?.code ? { status: response.code } : {};
  const message = `hls.js: ${details}${error ? ` (${error.message})` : ''}`;
  return new PlayerError(isNetwork ? 'MEDIA_NETWORK' : 'MEDIA_DECODE', message, { ...status, cause: error });
}
