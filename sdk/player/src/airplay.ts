import type Hls from 'hls.js';
import type { PlayerCore } from './player-core.ts';
import type { PlayerError } from './player-error.ts';
import { playlistType } from './playlist-type.ts';
import { createRemoteSession } from './remote-session.ts';

/** Safari reports true, false and true again while it connects. Only a false that lasts is an end. */
const settleMs = 1_000;

/** The part of Safari's video that other browsers lack. */
type WebKitVideo = HTMLVideoElement & {
  readonly webkitCurrentPlaybackTargetIsWireless?: boolean;
};

export interface AirPlay {
  /** For a page that is being left. */
  releaseNow(): void;
  /** Never fails. */
  destroy(): Promise<void>;
}

/**
 * Lets a receiver play what hls.js plays here. A receiver cannot play a media source, so the video gets a second `<source>` with the URL
 * of a playback session, as WebKit asks for (https://webkit.org/blog/15036). It is made when a receiver is near, and released when
 * that has gone or has played. While a receiver plays, hls.js loads nothing, and the page holds no lease.
 *
 * hls.js 1.7 detaches the video itself when Safari closes its media source for the receiver, and leaves the video alone.
 */
export function createAirPlay(hls: Hls, core: PlayerCore): AirPlay {
  const { Events } = hls.constructor as typeof Hls;
  const { clock, emitter } = core;
  const remote = createRemoteSession(core, '-airplay', failed);
  let listening = new AbortController();
  let video: WebKitVideo | undefined;
  let source: HTMLSourceElement | undefined;
  let isNear = false;
  let isRemote = false;
  /** The content for which there is or was an offer; a refusal is not repeated. */
  let offered: string | undefined;
  let timer: unknown;

  function failed(error: PlayerError) {
    source?.remove();
    source = undefined;
    if (error.code !== 'ABORTED') emitter.emit('remote', { state: 'failed', error });
  }

  async function offer() {
    const { session } = core;
    const contentId = session?.leases.contentId;
    if (!isNear || isRemote || !video || session?.isOver || contentId === undefined) return;
    if (source || offered === contentId) return;
    offered = contentId;
    const shownIn = video;
    try {
      // The `src` attribute hides every `<source>`.
      if (shownIn.hasAttribute('src'))
        throw core.failure('UNSUPPORTED', 'AirPlay needs preferManagedMediaSource: true in hls.js.');
      const url = await remote.url(contentId);
      if (offered !== contentId || video !== shownIn) return;
      source = Object.assign(document.createElement('source'), { type: playlistType, src: url });
      shownIn.append(source);
      emitter.emit('remote', { state: 'offered' });
    } catch (error) {
      failed(error as PlayerError);
    }
  }

  function withdraw(): Promise<void> {
    offered = undefined;
    source?.remove();
    source = undefined;
    return remote.release();
  }

  function watch(media: WebKitVideo) {
    listening.abort();
    listening = new AbortController();
    const { signal } = listening;
    video = media;
    media.addEventListener('webkitplaybacktargetavailabilitychanged', onAvailability, { signal });
    media.addEventListener('webkitcurrentplaybacktargetiswirelesschanged', onTarget, { signal });
    for (const event of ['connect', 'disconnect'])
      media.remote?.addEventListener(event, onTarget, { signal });
    // The content may have been unknown before its first key.
    media.addEventListener('playing', offer, { signal });
  }

  function onAvailability(event: Event) {
    isNear = (event as Event & { availability?: string }).availability === 'available';
    if (isNear) offer();
    else if (!isRemote) withdraw();
  }

  function onTarget() {
    clock.clearTimeout(timer);
    const isWireless = video?.webkitCurrentPlaybackTargetIsWireless || video?.remote?.state === 'connected';
    if (isWireless) handOver();
    else if (isRemote) timer = clock.setTimeout(takeBack, settleMs);
  }

  function handOver() {
    if (isRemote) return;
    isRemote = true;
    hls.stopLoad();
    // The receiver's session is the viewer's lease now, and the events of the video are those of the receiver.
    core.idle.stop();
    core.session?.leases.rest();
    emitter.emit('remote', { state: 'connected' });
  }

  function takeBack() {
    isRemote = false;
    withdraw();
    emitter.emit('remote', { state: 'disconnected' });
    const { session } = core;
    if (!video || !session || session.isOver) return;
    const { currentTime, paused } = video;
    session.leases.wake();
    core.idle.watch(video);
    if (!hls.media) hls.attachMedia(video);
    hls.startLoad(hls.latestLevelDetails?.live ? -1 : currentTime);
    if (!paused) video.play().catch(() => {});
  }

  /** Its media source is open. */
  function onAttached() {
    const { media } = hls;
    if (!media) return;
    // hls.js has removed every `<source>`, and has forbidden receivers: a managed media source opens only so.
    media.disableRemotePlayback = false;
    source?.remove();
    source = undefined;
    offered = undefined;
    watch(media as WebKitVideo);
    offer();
  }
  // This module may arrive after the first event, and an application may have attached before.
  const onBuffered = () => {
    if (hls.media !== video) onAttached();
  };
  const onLoading = () => void withdraw();
  hls.on(Events.MEDIA_ATTACHED, onAttached);
  hls.on(Events.FRAG_BUFFERED, onBuffered);
  hls.on(Events.MANIFEST_LOADING, onLoading);

  return {
    releaseNow() {
      source?.remove();
      source = undefined;
      offered = undefined;
      remote.releaseNow();
    },
    destroy() {
      hls.off(Events.MEDIA_ATTACHED, onAttached);
      hls.off(Events.FRAG_BUFFERED, onBuffered);
      hls.off(Events.MANIFEST_LOADING, onLoading);
      listening.abort();
      clock.clearTimeout(timer);
      return withdraw();
    },
  };
}
