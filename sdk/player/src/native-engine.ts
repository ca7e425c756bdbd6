import { contentIdOf } from './key-url.ts';
import { makeNativeSource } from './native-source.ts';
import type { Engine, PlayerCore } from './player-core.ts';
import { PlayerError, toPlayerError } from './player-error.ts';
import { type AttachOptions, fetchOf } from './player-options.ts';
import type { Session } from './session.ts';
import { watchVideo } from './watch-playback.ts';

/** A source whose credential has expired is made again. If it fails again this soon, it has another fault. */
const shortestPlayMs = 30_000;

/** Whether the browser plays HLS by itself. */
export function playsNatively(video: HTMLVideoElement): boolean {
  return video.canPlayType('application/vnd.apple.mpegurl') !== '';
}

/**
 * Plays with the browser's own HLS. Scripts cannot add headers there, so the credential is in the query of the key URLs, from
 * the time when the source was made. If the browser fails later, the source is made again and continues at the same place.
 */
export function createNativeEngine(
  video: HTMLVideoElement,
  options: AttachOptions,
  core: PlayerCore,
): Engine {
  const listening = new AbortController();
  const videoWatch = watchVideo(video, core.metrics);
  let playlistUrl: string | undefined;
  let keyUrl: string | undefined;
  let madeAtMs = 0;

  async function play(url: string): Promise<void> {
    const { session, clock } = core;
    const source = await makeSource(url, session, options, listening.signal);
    if (session !== core.session || listening.signal.aborted) return;
    playlistUrl = url;
    keyUrl = source.keyUrl;
    madeAtMs = clock.now();
    video.src = source.src;
  }

  async function goOn(): Promise<void> {
    const { session } = core;
    const { currentTime, paused } = video;
    await session?.leases.check();
    await checkKey();
    if (playlistUrl === undefined || session !== core.session) return;
    await play(playlistUrl);
    seekOnceLoaded(video, currentTime, paused, listening.signal);
  }

  function onError() {
    const { session, clock } = core;
    if (playlistUrl === undefined) return;
    const wasShort = clock.now() - madeAtMs < shortestPlayMs;
    const failure = toMediaFailure(video.error);
    const reason = wasShort ? checkKey().then(() => Promise.reject(failure)) : goOn();
    reason.catch((error) => session?.fail(toPlayerError(error)));
  }

  /** @throws PlayerError if the key server refuses */
  const checkKey = async () => keyUrl !== undefined && core.session?.keys.get(keyUrl, listening.signal);

  video.addEventListener('error', onError, { signal: listening.signal });
  core.idle.watch(video);
  return {
    hls: null,
    video,
    async load(url) {
      // When it fails, another content may be playing.
      const { session } = core;
      playlistUrl = undefined;
      videoWatch.begin();
      await play(url).catch((error) => {
        session?.fail(toPlayerError(error));
        throw error;
      });
    },
    stop() {
      playlistUrl = undefined;
    },
    destroy() {
      listening.abort();
      videoWatch.stop();
      video.removeAttribute('src');
      video.load();
    },
  };
}

async function makeSource(
  url: string,
  session: Session | undefined,
  options: AttachOptions,
  signal: AbortSignal,
) {
  const query = await createKeyQuery(session, options, signal);
  const source = await makeNativeSource(url, {
    keyServerUrl: options.keyServerUrl,
    query,
    fetch: fetchOf(options),
  });
  session?.leases.named([]);
  return source;
}

/**
 * The credentials for the query of a key URL: the current token, and the lease of the key's content. The browser itself
 * requests the keys of all renditions, so each content keeps its lease.
 */
async function createKeyQuery(session: Session | undefined, options: AttachOptions, signal: AbortSignal) {
  const token = await session?.token();
  const leaseIds = new Map<string, Promise<string | undefined>>();

  async function leaseFor(keyUrl: string, use: string) {
    const isKnown = session?.leases.keeperFor(keyUrl, use) !== undefined || options.leases === false;
    // Only an answer shows whether the server demands a lease for a content that was not named.
    if (!isKnown) await session?.keys.get(keyUrl, signal, use);
    return session?.leases.keeperFor(keyUrl, use)?.leaseId();
  }

  return async (keyUrl: string) => {
    session?.leases.named([keyUrl]);
    const contentId = contentIdOf(keyUrl, options.keyServerUrl) ?? '';
    const requested = leaseIds.get(contentId) ?? leaseFor(keyUrl, contentId);
    leaseIds.set(contentId, requested);
    const leaseId = await requested;
    return { ...(token && { access_token: token }), ...(leaseId && { lease_id: leaseId }) };
  };
}

function seekOnceLoaded(video: HTMLVideoElement, currentTime: number, paused: boolean, signal: AbortSignal) {
  const seek = () => {
    video.currentTime = currentTime;
    if (!paused) video.play().catch(() => {});
  };
  video.addEventListener('loadedmetadata', seek, { once: true, signal });
}

function toMediaFailure(error: MediaError | null): PlayerError {
  const message = `The browser cannot play this: ${error?.message || `code ${error?.code}`}`;
  // 2 is MEDIA_ERR_NETWORK.
  return new PlayerError(error?.code === 2 ? 'MEDIA_NETWORK' : 'MEDIA_DECODE', message);
}
