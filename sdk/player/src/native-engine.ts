import type { Engine } from './engine.ts';
import { contentIdOf } from './key-url.ts';
import { makeNativeSource } from './native-source.ts';
import type { PlayerCore } from './player-core.ts';
import { PlayerError, toPlayerError } from './player-error.ts';
import type { AttachOptions } from './player-options.ts';
import type { Session } from './session.ts';
import { watchVideo } from './watch-video.ts';

/** A source whose credential has run out is made anew; one that fails again this soon has another fault. */
const shortestPlayMs = 30_000;

/** Whether the browser plays HLS by itself. */
export function playsNatively(video: HTMLVideoElement): boolean {
  return video.canPlayType('application/vnd.apple.mpegurl') !== '';
}

/**
 * Plays as the browser does by itself, where scripts cannot add headers: the credential is in the query of the key URLs,
 * as it was when the source was made. When the browser fails later, the source is made anew and goes on in its place.
 */
export function createNativeEngine(
  video: HTMLVideoElement,
  options: AttachOptions,
  core: PlayerCore,
): Engine {
  const listening = new AbortController();
  const videoWatch = watchVideo(video, core.metrics);
  const fetch: typeof globalThis.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  let playlistUrl: string | undefined;
  let keyUrl: string | undefined;
  let madeAtMs = 0;

  async function play(url: string): Promise<void> {
    const { session, clock } = core;
    const token = await session?.token();
    const leaseIds = new Map<string, Promise<string | undefined>>();
    async function query(ofKey: string) {
      session?.leases.named([ofKey]);
      const contentId = contentIdOf(ofKey, options.keyServerUrl) ?? '';
      const asked = leaseIds.get(contentId) ?? leaseFor(session, ofKey, contentId);
      leaseIds.set(contentId, asked);
      const leaseId = await asked;
      return { ...(token && { access_token: token }), ...(leaseId && { lease_id: leaseId }) };
    }
    const source = await makeNativeSource(url, { keyServerUrl: options.keyServerUrl, query, fetch });
    session?.leases.named([]);
    if (session !== core.session || listening.signal.aborted) return;
    playlistUrl = url;
    keyUrl = source.keyUrl;
    madeAtMs = clock.now();
    video.src = source.src;
  }

  /** The browser asks for all renditions' keys by itself: each content keeps its lease. */
  async function leaseFor(session: Session | undefined, ofKey: string, use: string) {
    const isKnown = session?.leases.keeperFor(ofKey, use) !== undefined || options.leases === false;
    // Only an answer tells whether the server demands a lease for a content that was not named.
    if (!isKnown) await session?.keys.get(ofKey, listening.signal, use);
    return session?.leases.keeperFor(ofKey, use)?.leaseId();
  }

  async function goOn(): Promise<void> {
    const { session } = core;
    const { currentTime, paused } = video;
    await session?.leases.check();
    await checkKey();
    if (playlistUrl === undefined || session !== core.session) return;
    await play(playlistUrl);
    const seek = () => {
      video.currentTime = currentTime;
      if (!paused) video.play().catch(() => {});
    };
    video.addEventListener('loadedmetadata', seek, { once: true, signal: listening.signal });
  }

  function onError() {
    const { session, clock } = core;
    if (playlistUrl === undefined) return;
    const message = `The browser cannot play this: ${video.error?.message || `code ${video.error?.code}`}`;
    const wasShort = clock.now() - madeAtMs < shortestPlayMs;
    const failure = new PlayerError(video.error?.code === 2 ? 'MEDIA_NETWORK' : 'MEDIA_DECODE', message);
    const reason = wasShort ? checkKey().then(() => Promise.reject(failure)) : goOn();
    reason.catch((error) => session?.fail(toPlayerError(error)));
  }

  /** @throws PlayerError where the key server refuses */
  async function checkKey(): Promise<void> {
    if (keyUrl !== undefined) await core.session?.keys.get(keyUrl, listening.signal);
  }

  video.addEventListener('error', onError, { signal: listening.signal });
  core.idle.watch(video);
  return {
    hls: null,
    video,
    async load(url) {
      // By the time it fails, another content may be playing.
      const { session } = core;
      playlistUrl = undefined;
      videoWatch.begin();
      try {
        await play(url);
      } catch (error) {
        session?.fail(toPlayerError(error));
        throw error;
      }
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
